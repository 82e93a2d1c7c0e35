// priorfit recommend with its defaults: the verdict as a user meets it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "helpers.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;

const std::vector<std::string> quick = {"recommend", "digits", "--samples", "150", "--widths", "64",
                                        "--epochs",  "10",     "--pilots",  "20",  "--quiet"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Answer, BeginsWithWhatItIsAboutAndTheVerdict) {
  const Outcome outcome = priorfit(quick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::StartsWith(
                  "digits: 150 rows, 64 features, 10 classes · network 64-64-10 relu, cross-entropy, Adam\n\n"));
  EXPECT_THAT(outcome.out, testing::AnyOf(HasSubstr("\nKeep PyTorch's default"), HasSubstr("\nChange it to ")));
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 32);
}

TEST(Answer, FulfilsItsContract) {
  const auto json = nlohmann::json::parse(priorfit(with(quick, {"--format", "json"})).out);
  for (const char* field : {"action", "current", "metric", "flat"})
    EXPECT_TRUE(json.at("verdict").contains(field)) << field;
  EXPECT_EQ(json.at("verdict").at("current"), "PyTorch's default");
  EXPECT_EQ(json.at("loss"), "cross-entropy");
  EXPECT_EQ(json.at("optimizer"), "adam");
  EXPECT_LE(json.at("pilots").at("count"), 20);
  EXPECT_EQ(json.at("pilots").at("epochs"), 10);
  for (const auto& candidate : json.at("candidates")) {
    EXPECT_TRUE(candidate.contains("name"));
    EXPECT_TRUE(candidate.at("layers").size() == 2);
  }
  EXPECT_EQ(json.at("sentences")[0].at("kind"), "verdict");
  // What is recommended is what --from draws; on "keep" the current start.
  if (json.at("verdict").at("action") == "keep") {
    EXPECT_EQ(json.at("recommended").at("distribution"), "uniform");
  }
}

TEST(Answer, RepeatsItselfWithThePilotsItCounted) {
  const auto figures = [&](const std::vector<std::string>& more) {
    auto json = nlohmann::json::parse(priorfit(with(quick, with({"--format", "json", "--threads", "2"}, more))).out);
    return json.at("verdict").dump() + json.at("pilots").dump() + json.at("candidates").dump();
  };
  EXPECT_EQ(figures({}), figures({}));
}

TEST(Answer, TakesWhatIsInUseAndTheLossOfTheUser) {
  const auto json = nlohmann::json::parse(
      priorfit(with(quick, {"--current", "2,0,0.01", "--loss", "squared", "--optimizer", "sgd", "--format", "json"}))
          .out);
  EXPECT_EQ(json.at("verdict").at("current"), "(2, 0, output 0.01)");
  EXPECT_EQ(json.at("loss"), "squared");
  EXPECT_EQ(json.at("optimizer"), "sgd");
}

TEST(Answer, KeepsThePapersCriterionWhole) {
  const Outcome paper = priorfit({"recommend", "digits", "--samples", "60", "--grid", "paper", "--quiet"});
  EXPECT_THAT(paper.out, HasSubstr("Recommended: σ_w² ="));
  EXPECT_THAT(priorfit(quick).out, HasSubstr("by the evidence ("));
}

TEST(Answer, HasItsDetails) {
  const Outcome outcome = priorfit(with(quick, {"--details"}));
  EXPECT_THAT(outcome.out, HasSubstr("By the evidence alone, the paper's criterion"));
  EXPECT_THAT(outcome.out, HasSubstr("nats"));
}

TEST(Answer, WritesTheCodeOfEveryFramework) {
  const Scratch scratch;
  ASSERT_EQ(priorfit(with(quick, {"--out", scratch.path("r")})).code, 0);
  EXPECT_THAT(read_all(scratch.path("r/init_torch.py")), HasSubstr("torch.nn"));
  EXPECT_THAT(read_all(scratch.path("r/init_keras.py")), HasSubstr("keras."));
  EXPECT_THAT(read_all(scratch.path("r/init_flax.py")), HasSubstr("nn.Dense"));
  EXPECT_EQ(priorfit({"init", "--from", scratch.path("r/recommendation.json"), "--width", "64", "--out",
                      scratch.path("w.safetensors"), "--quiet"})
                .code,
            0);
}

TEST(Answer, NamesWhatIsWrong) {
  const auto error = [&](const std::vector<std::string>& more) {
    const Outcome outcome = priorfit(with({"recommend", "digits", "--samples", "50"}, more));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(error({"--current", "pytroch"}), HasSubstr("did you mean 'pytorch'?"));
  EXPECT_THAT(error({"--current", "2"}), HasSubstr("--current is '2'"));
  EXPECT_THAT(error({"--current", "-2,0"}), HasSubstr("weight"));
  EXPECT_THAT(error({"--budget", "soon"}), HasSubstr("--budget"));
  EXPECT_THAT(error({"--pilots", "-3"}), HasSubstr("-3"));
  EXPECT_THAT(error({"--framework", "torhc"}), HasSubstr("did you mean 'torch'?"));
  EXPECT_THAT(error({"--widths", "64,0"}), HasSubstr("--widths"));
  EXPECT_THAT(error({"--widths", "64", "--depth", "2"}), HasSubstr("--widths names every hidden layer"));
  EXPECT_THAT(error({"--risk-steps", "5"}), HasSubstr("--risk-learning-rate"));
}

}  // namespace
}  // namespace priorfit::cli
