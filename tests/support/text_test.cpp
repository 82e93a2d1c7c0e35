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

TEST(Printable, KeepsLettersAndShowsTheRestAsNumbers) {
  EXPECT_EQ(printable("σ_w² = 2\n€ 𝛼"), "σ_w² = 2\n€ 𝛼");
  EXPECT_EQ(printable("a\x1b[2J\x7f\t"), "a\\x1b[2J\\x7f\\x09");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");  // CSI, which is an escape sequence by itself
}

// Bytes that are no UTF-8 end up in JSON readers and terminals, some of which take a lone 0x9b for CSI.
TEST(Printable, ShowsBytesThatAreNoLetters) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");                             // never a beginning; cut short
  EXPECT_EQ(printable("\xc0\xaf \xe0\x80\xaf"), "\\xc0\\xaf \\xe0\\x80\\xaf");  // longer than need be
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");                      // half of a pair of UTF-16
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");             // beyond the last
  EXPECT_EQ(printable("\xe2\x82"
                      "c"),
            "\\xe2\\x82"
            "c");
}

}  // namespace
}  // namespace priorfit
