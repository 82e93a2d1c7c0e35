#include "priorfit/pilots.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "priorfit/error.hpp"

namespace priorfit {
namespace {

const NetworkSpec network = NetworkSpec::uniform(1, 64);

/// The first is a poor start, so poor that a few rows tell.
std::vector<Candidate> starts() {
  std::vector<Candidate> list;
  for (const LayerPrior pair : {LayerPrior{60.0, 30.0}, LayerPrior{2.0, 0.0}, LayerPrior{1.0, 0.0}}) {
    list.push_back({.start = Initialisation::tied(network, pair)});
  }
  list.push_back({.start = Initialisation::with_output(network, {1.0, 0.0}, 0.01)});
  return list;
}

PreparedData digits(Index rows) { return prepare(load_dataset({.source = "digits"}), {.samples = rows, .seed = 1}); }

PilotQuestion question(Index count) {
  PilotQuestion question;
  question.options.training.epochs = 15;
  question.options.count = count;
  return question;
}

TEST(Pilots, FindThatAPoorStartIsWorthChanging) {
  const PilotStudy study = run_pilots(digits(300), network, starts(), question(60));
  EXPECT_NE(study.finalist, 0u);
  ASSERT_TRUE(study.gain);
  EXPECT_TRUE(study.gain->positive());
  EXPECT_EQ(study.gain->blocks, 9);
  EXPECT_GT(study.measured[study.finalist]->value, study.measured[0]->value);
  EXPECT_EQ(study.ended_by, "decision");
}

TEST(Pilots, MeasureOnRowsAndSeedsThatTookNoPartInChoosing) {
  const PilotStudy study = run_pilots(digits(300), network, starts(), question(60));
  std::set<std::uint64_t> choosing, measuring;
  for (const PilotResult& result : study.results) (result.block == 0 ? choosing : measuring).insert(result.seed);
  EXPECT_FALSE(choosing.empty());
  EXPECT_FALSE(measuring.empty());
  for (const std::uint64_t seed : choosing) EXPECT_FALSE(measuring.count(seed)) << seed;
}

TEST(Pilots, CountedOnesGiveTheSameBytesOnAnyNumberOfThreads) {
  const PilotStudy one = run_pilots(digits(120), network, starts(), question(20), {.threads = 1});
  const PilotStudy two = run_pilots(digits(120), network, starts(), question(20), {.threads = 2});
  ASSERT_EQ(one.results.size(), two.results.size());
  EXPECT_LE(one.count, 20);
  for (std::size_t i = 0; i < one.results.size(); ++i) {
    EXPECT_EQ(one.results[i].candidate, two.results[i].candidate);
    EXPECT_EQ(one.results[i].error, two.results[i].error);
  }
}

TEST(Pilots, GiveTheAnswerSoFarWhenCancelled) {
  int calls = 0;
  RunContext context{.threads = 1};
  context.progress = [&](const Progress&) { return ++calls < 40; };
  PilotQuestion asked = question(60);
  asked.options.training.epochs = 200;
  const PilotStudy study = run_pilots(digits(300), network, starts(), asked, context);
  EXPECT_TRUE(study.interrupted);
  EXPECT_EQ(study.ended_by, "interrupted");
  EXPECT_EQ(study.count, static_cast<Index>(study.results.size()));
}

TEST(Pilots, TakeAsLongAsTheirOperationsAllow) {
  const TrainOptions training{.epochs = 250};
  const PilotLength small = pilot_length(NetworkSpec::uniform(1, 16), 300, 8, 1, training);
  EXPECT_EQ(small.rows, 300);
  EXPECT_EQ(small.epochs, 250);
  const PilotLength large = pilot_length(NetworkSpec::uniform(3, 4000), 60000, 784, 10, training);
  EXPECT_EQ(large.rows, 200);
  EXPECT_EQ(large.epochs, 20);
}

TEST(Pilots, KeepTimeToMeasureWhereChoosingIsSlow) {
  std::vector<Candidate> many = starts();
  for (double variance = 0.2; many.size() < 12; variance *= 1.3) {
    many.push_back({.start = Initialisation::tied(network, {variance, 0.1})});
  }
  PilotQuestion slow = question(0);
  slow.options.count.reset();
  slow.options.budget_seconds = 4;
  const auto begin = std::chrono::steady_clock::now();
  const auto dawdle = [&](const Progress& progress) {
    if (progress.stage.find("looking") != std::string::npos) {
      std::this_thread::sleep_until(begin + std::chrono::seconds(2));  // half of the budget
    }
    return true;
  };
  const PilotStudy study = run_pilots(digits(120), network, many, slow, {.threads = 1, .progress = dawdle});
  const auto in_choosing = [](const PilotResult& result) { return result.block == 0; };
  EXPECT_EQ(std::count_if(study.results.begin(), study.results.end(), in_choosing), 4);  // those begun together
  EXPECT_TRUE(study.gain);
}

TEST(Pilots, RefuseWhatTheyCannotDo) {
  EXPECT_THROW(run_pilots(digits(20), network, starts(), question(5)), Error);
  PilotQuestion other = question(5);
  other.current = 9;
  EXPECT_THROW(run_pilots(digits(100), network, starts(), other), Error);
  EXPECT_THROW(run_pilots(digits(100), network, starts(), question(-1)), Error);
}

// A thousand layers of 2000 units: one training would take an hour, and 64 GB; the process was killed instead.
TEST(Pilots, RefuseNetworksThatTheirBudgetCannotTrain) {
  PilotQuestion seconds = question(5);
  seconds.options.count.reset();
  seconds.options.budget_seconds = 2;
  const NetworkSpec deep = NetworkSpec::uniform(1000, 2000);
  std::vector<Candidate> candidates(2);
  for (Candidate& candidate : candidates) candidate.start = Initialisation::tied(deep, {2.0, 0.0});
  try {
    run_pilots(digits(100), deep, candidates, seconds);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_THAT(error.what(), testing::HasSubstr("the budget is 2 s"));
  }
}

}  // namespace
}  // namespace priorfit
