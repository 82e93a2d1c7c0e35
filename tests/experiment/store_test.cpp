#include "experiment/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "cli/process.hpp"
#include "experiment/heartbeat.hpp"
#include "priorfit/error.hpp"

namespace priorfit {
namespace {

using ::testing::HasSubstr;

const Owner elsewhere{"another machine", 12, 34};
const Entries entries = {{"training.epochs", "5"}, {"grid.noise_variance", "1e-06"}};

std::vector<Cell> two_sizes() {
  return {{0, CellKind::evidence, 100, LayerPrior{1.0, 0.0}, 0},
          {0, CellKind::evidence, 100, LayerPrior{2.0, 0.0}, 0},
          {0, CellKind::training, 100, LayerPrior{1.0, 0.0}, 1},
          {0, CellKind::evidence, 200, LayerPrior{1.0, 0.0}, 0}};
}

class StoreTest : public ::testing::Test {
 protected:
  Store open(const Owner& owner = this_process()) { return Store(path_, Database::Mode::create, owner); }
  Store filled(const Owner& owner = this_process()) {
    open(owner).create_or_check(entries, {}, {}, two_sizes());
    return open(owner);
  }
  std::int64_t oldest_heartbeat() {
    Database database(path_, Database::Mode::existing);
    Statement row = database.prepare("SELECT min(heartbeat) FROM cells WHERE state = 'claimed'");
    row.step();
    return row.integer(0);
  }
  void set_heartbeat(std::int64_t seconds_ago) {
    Database database(path_, Database::Mode::existing);
    database.prepare("UPDATE cells SET heartbeat = ?").bind(unix_seconds() - seconds_ago).run();
  }

  cli::Scratch scratch_;
  std::string path_ = scratch_.path("experiment.sqlite");
};

TEST_F(StoreTest, GivesEachCellOnce) {
  Store mine = filled(), theirs = filled(elsewhere);
  const auto first = mine.claim();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size, 100);
  EXPECT_EQ(first->start.prior()->weight_variance, 1.0);
  // Evidence of size 100 is being done here, so the other process gets what comes next.
  const auto second = theirs.claim();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kind, CellKind::training);
  const auto third = theirs.claim();  // its own claim does not stop it: it asks for more only when it is done
  ASSERT_TRUE(third);
  EXPECT_EQ(third->id, second->id);
}

TEST_F(StoreTest, TakesOverFromADeadProcessOnThisHost) {
  const pid_t child = fork();
  if (child == 0) {
    Store store = filled();
    _exit(store.claim() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  set_heartbeat(0);  // fresh, yet the process table knows better
  const auto cell = filled().claim();
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->id, 1);
}

TEST_F(StoreTest, TrustsAHeartbeatFromAnotherHostForAMinute) {
  ASSERT_EQ(filled(elsewhere).claim()->id, 1);
  set_heartbeat(50);
  EXPECT_EQ(filled().claim()->id, 3);
  Store again = filled();
  set_heartbeat(70);
  EXPECT_EQ(again.claim()->id, 1);
}

// The thread that beats has a connection of its own and shares nothing with the one that works on the cell.
TEST_F(StoreTest, TheHeartbeatStaysFreshWhileOthersUseTheStore) {
  Store store = filled();
  const auto cell = store.claim();
  set_heartbeat(50);
  const std::int64_t before = oldest_heartbeat();
  {
    const Heartbeat heartbeat(path_, this_process(), *cell, std::chrono::milliseconds(2));
    for (int i = 0; i < 5000 && oldest_heartbeat() == before; ++i) EXPECT_EQ(store.unfinished().size(), 4u);
  }
  EXPECT_GE(oldest_heartbeat(), before + 50);
}

TEST_F(StoreTest, ProcessIdsThatAreUsedAgainAreNotMistaken) {
  Owner former = this_process();
  EXPECT_TRUE(is_alive(former, 0, unix_seconds()));
  former.started -= 1;
  EXPECT_FALSE(is_alive(former, unix_seconds(), unix_seconds()));
}

TEST_F(StoreTest, KeepsNothingFromOneWhoLostTheCell) {
  Store slow = filled(elsewhere);
  const auto cell = slow.claim();
  set_heartbeat(100);
  Store quick = filled();
  ASSERT_EQ(quick.claim()->id, cell->id);
  Evidence evidence;
  evidence.log_marginal_likelihood = 1.0;
  slow.finish(*cell, evidence, 0.0);
  EXPECT_TRUE(quick.evidence().empty());
  evidence.log_marginal_likelihood = 2.0;
  quick.finish(*cell, evidence, 0.0);
  slow.finish(*cell, evidence, 0.0);
  ASSERT_EQ(quick.evidence().size(), 1u);
  EXPECT_EQ(quick.evidence()[0].second.log_marginal_likelihood, 2.0);
}

TEST_F(StoreTest, ReleasedCellsAreFree) {
  Store store = filled(elsewhere);
  store.release(*store.claim());
  EXPECT_EQ(filled().claim()->id, 1);
}

TEST_F(StoreTest, ReadsBackWhatWasStored) {
  Store store = filled();
  const Evidence failed{.status = EvidenceStatus::not_positive_definite,
                        .log_marginal_likelihood = NAN,
                        .per_value = NAN,
                        .noise_variance = 1e-10,
                        .failed_pivot = 17};
  store.finish(*store.claim(), failed, 1.5);
  const Evidence fine{.status = EvidenceStatus::jittered,
                      .log_marginal_likelihood = 0.1 + 0.2,
                      .per_value = 1.0 / 3.0,
                      .noise_variance = 1e-6,
                      .jitter = 1e-9,
                      .failed_pivot = 3};
  store.finish(*store.claim(), fine, 1.5);
  TrainingSummary summary;
  summary.train.loss = 0.25;
  summary.test = Metrics{.samples = 10, .loss = 0.5, .accuracy = 0.9, .rmse = {}, .r_squared = {}};
  for (Index epoch = 1; epoch <= 3; ++epoch) {
    Metrics test;
    test.accuracy = 0.1 * static_cast<double>(epoch);
    summary.history.push_back({epoch, 1.0, 0.5, test});
  }
  store.finish(*store.claim(), summary, true);
  const auto evidence = store.evidence();
  ASSERT_EQ(evidence.size(), 2u);
  EXPECT_EQ(evidence[0].second.status, EvidenceStatus::not_positive_definite);
  EXPECT_TRUE(std::isnan(evidence[0].second.log_marginal_likelihood));
  EXPECT_EQ(evidence[0].second.failed_pivot, 17);
  EXPECT_EQ(evidence[1].second.log_marginal_likelihood, 0.1 + 0.2);
  EXPECT_EQ(evidence[1].second.jitter, 1e-9);
  const auto training = store.training();
  ASSERT_EQ(training.size(), 1u);
  EXPECT_EQ(training[0].score, 0.9);
  EXPECT_EQ(training[0].final_loss, 0.25);
  EXPECT_EQ(training[0].curve, (std::vector<double>{0.1, 0.2, 0.1 * 3}));
  EXPECT_EQ(store.unfinished().size(), 1u);
}

TEST_F(StoreTest, RefusesAnotherSpecificationNamingTheDifference) {
  filled();
  try {
    open().create_or_check({{"training.epochs", "6"}}, {}, {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("training.epochs = 5, and 6 is asked for"));
  }
}

TEST_F(StoreTest, AFieldNewerThanTheDatabaseMustHaveItsDefault) {
  filled();
  const Entries defaults = {{"network.new", "1"}};
  EXPECT_NO_THROW(open().create_or_check({{"network.new", "1"}}, defaults, {}, {}));
  EXPECT_THROW(open().create_or_check({{"network.new", "2"}}, defaults, {}, {}), Error);
}

TEST_F(StoreTest, RefusesAFileThatIsNoDatabase) {
  scratch_.file("experiment.sqlite", std::string(5000, 'x'));
  try {
    filled();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

}  // namespace
}  // namespace priorfit
