#include "support/text.hpp"

#include <gtest/gtest.h>

namespace priorfit {
using namespace internal;
namespace {

TEST(NearestMatch, FindsASlip) {
  const std::vector<std::string> names = {"digits", "mnist", "fashion-mnist", "cifar10"};
  EXPECT_EQ(nearest_match("mnsit", names), "mnist");
  EXPECT_EQ(nearest_match("Digits", names), "digits");
  EXPECT_EQ(nearest_match("fashion_mnist", names), "fashion-mnist");
  EXPECT_EQ(nearest_match("cifar", names), "cifar10");
  EXPECT_EQ(nearest_match("tnah", {"sin", "tanh"}), "tanh");
}

TEST(NearestMatch, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_match("wine-quality", {"digits", "mnist"}), "");
  EXPECT_EQ(nearest_match("x", {"y", "z"}), "");
  EXPECT_EQ(nearest_match("foo", {"cos", "elu"}), "");
  EXPECT_EQ(nearest_match("x", {}), "");
}

TEST(Suggestion, ReadsAsTheEndOfASentence) {
  EXPECT_EQ(suggestion("qualty", {"quality"}), "; did you mean 'quality'?");
  EXPECT_EQ(suggestion("volume", {"quality"}), "");
}

TEST(Join, PutsSeparatorsBetweenWordsOnly) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({"a", "b"}, "|"), "a|b");
}

}  // namespace
}  // namespace priorfit
