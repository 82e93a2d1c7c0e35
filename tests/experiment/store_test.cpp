#include "experiment/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/process.hpp"
#include "experiment/heartbeat.hpp"
#include "experiment/start_key.hpp"
#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

using ::testing::HasSubstr;

const Owner elsewhere{"another machine", 12, 34};
const Entries entries = {{"training.epochs", "5"}, {"grid.noise_variance", "1e-06"}};

const Kinds kinds = {evidence_kind, training_kind};

Cell cell_of(const char* kind, Index size, double weight_variance, std::uint64_t seed = 0) {
  const Initialisation start = Initialisation::tied(NetworkSpec::uniform(1), {weight_variance, 0.0});
  return {.kind = kind, .size = size, .start = start_key(start), .seed = seed};
}

std::vector<Cell> two_sizes() {
  return {cell_of(evidence_kind, 100, 1.0), cell_of(evidence_kind, 100, 2.0), cell_of(training_kind, 100, 1.0, 1),
          cell_of(evidence_kind, 200, 1.0)};
}

Evidence evidence_of(double nats) {
  Evidence evidence;
  evidence.log_marginal_likelihood = nats;
  return evidence;
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
  const auto first = mine.claim(kinds);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size, 100);
  EXPECT_EQ(first->start, "weight_variance=1 bias_variance=0");
  // Evidence of size 100 is being done here, so the other process gets what comes next.
  const auto second = theirs.claim(kinds);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->kind, training_kind);
  const auto third = theirs.claim(kinds);  // its own claim does not stop it: it asks for more only when it is done
  ASSERT_TRUE(third);
  EXPECT_EQ(third->id, second->id);
}

TEST_F(StoreTest, ProcessesOfOneMachineJudgeAtOnceWhereAllFits) {
  Owner beside = this_process();
  beside.pid = 12;
  const Kinds judged = {evidence_kind};
  const auto with = [](double usable) { return Room{[](const Cell& cell) { return double(cell.size); }, usable}; };
  Store mine = filled();
  EXPECT_EQ(mine.claim(judged, with(50))->size, 100);  // alone, it is its own affair
  Store theirs = open(beside), far = open(elsewhere);
  EXPECT_FALSE(theirs.claim(judged, with(299)));
  EXPECT_EQ(theirs.claim(kinds, with(299))->kind, training_kind);
  const auto found = theirs.claim(judged, with(300));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size, 200);
  theirs.release(*found);
  EXPECT_TRUE(theirs.judged_here());  // by mine
  EXPECT_FALSE(mine.judged_here());
  EXPECT_FALSE(far.judged_here());
  EXPECT_EQ(far.claim(judged, with(0))->size, 200);  // has a memory of its own
}

TEST_F(StoreTest, TakesOverFromADeadProcessOnThisHost) {
  const pid_t child = fork();
  if (child == 0) {
    Store store = filled();
    _exit(store.claim(kinds) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  set_heartbeat(0);  // fresh, yet the process table knows better
  const auto cell = filled().claim(kinds);
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->id, 1);
}

TEST_F(StoreTest, TrustsAHeartbeatFromAnotherHostForAMinute) {
  ASSERT_EQ(filled(elsewhere).claim(kinds)->id, 1);
  set_heartbeat(50);
  EXPECT_EQ(filled().claim(kinds)->id, 3);
  Store again = filled();
  set_heartbeat(70);
  EXPECT_EQ(again.claim(kinds)->id, 1);
}

// The thread that beats has a connection of its own and shares nothing with the one that works on the cell.
TEST_F(StoreTest, TheHeartbeatStaysFreshWhileOthersUseTheStore) {
  Store store = filled();
  const auto cell = store.claim(kinds);
  set_heartbeat(50);
  const std::int64_t before = oldest_heartbeat();
  {
    const Heartbeat heartbeat(path_, this_process(), *cell, std::chrono::milliseconds(2));
    for (int i = 0; i < 5000 && oldest_heartbeat() == before; ++i) EXPECT_EQ(store.cells().size(), 4u);
  }
  EXPECT_GE(oldest_heartbeat(), before + 50);
}

TEST_F(StoreTest, ProcessIdsThatAreUsedAgainAreNotMistaken) {
  Owner former = this_process();
  EXPECT_TRUE(is_alive(former, 0, unix_seconds()));
  former.started -= 1;
  EXPECT_FALSE(is_alive(former, unix_seconds(), unix_seconds()));
}

TEST_F(StoreTest, ATriggerThatSomebodyAddedIsDamage) {
  Store store = filled();
  store.finish(*store.claim(kinds), evidence_of(1.0), 0.0);
  Database(path_, Database::Mode::existing)
      .execute("CREATE TRIGGER t AFTER UPDATE ON cells BEGIN DELETE FROM cells; END");
  try {
    store.claim(kinds);
    FAIL() << "was claimed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
  }
}

TEST_F(StoreTest, AScoreThatIsNoFigureIsDamage) {
  {
    Store store = filled();
    store.add_criterion("of my own");
    while (const auto cell = store.claim({evidence_kind, "of my own"})) {
      if (cell->kind == evidence_kind) store.finish(*cell, evidence_of(1.0), 0.0);
      if (cell->kind == "of my own") store.finish(*cell, Score::of(1.0), 0.0);
    }
  }
  Database(path_, Database::Mode::existing).execute("UPDATE scores SET value = NULL");
  test::expect_error(
      ErrorKind::data, [&] { open().scores(); }, "of my own", "no figure");
}

TEST_F(StoreTest, AHeartbeatBeforeAllTimeIsOld) {
  EXPECT_FALSE(is_alive(elsewhere, std::numeric_limits<std::int64_t>::min(), unix_seconds()));
}

TEST_F(StoreTest, KeepsNothingFromOneWhoLostTheCell) {
  Store slow = filled(elsewhere);
  const auto cell = slow.claim(kinds);
  set_heartbeat(100);
  Store quick = filled();
  ASSERT_EQ(quick.claim(kinds)->id, cell->id);
  EXPECT_FALSE(slow.finish(*cell, evidence_of(1.0), 0.0));
  EXPECT_TRUE(quick.scores().empty());
  EXPECT_TRUE(quick.finish(*cell, evidence_of(2.0), 0.0));
  EXPECT_FALSE(slow.finish(*cell, evidence_of(1.0), 0.0));
  ASSERT_EQ(quick.scores().size(), 1u);
  EXPECT_EQ(quick.scores()[0].score.value(), 2.0);
}

TEST_F(StoreTest, ReleasedCellsAreFree) {
  Store store = filled(elsewhere);
  store.release(*store.claim(kinds));
  EXPECT_EQ(filled().claim(kinds)->id, 1);
}

TEST_F(StoreTest, ReadsBackWhatWasStored) {
  Store store = filled();
  const Evidence failed{.status = EvidenceStatus::not_positive_definite,
                        .log_marginal_likelihood = NAN,
                        .per_value = NAN,
                        .noise_variance = 1e-10,
                        .failed_pivot = 17};
  store.finish(*store.claim(kinds), failed, 1.5);
  const Evidence fine{.status = EvidenceStatus::jittered,
                      .log_marginal_likelihood = 0.1 + 0.2,
                      .per_value = 1.0 / 3.0,
                      .noise_variance = 1e-6,
                      .jitter = 1e-9,
                      .failed_pivot = 3};
  store.finish(*store.claim(kinds), fine, 1.5);
  TrainingSummary summary;
  summary.train.loss = 0.25;
  summary.test = Metrics{.samples = 10, .loss = 0.5, .accuracy = 0.9};
  for (Index epoch = 1; epoch <= 3; ++epoch) {
    Metrics test;
    test.accuracy = 0.1 * static_cast<double>(epoch);
    summary.history.push_back({epoch, 1.0, 0.5, test, {}});
  }
  store.finish(*store.claim(kinds), summary, true);
  const auto scores = store.scores();
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_FALSE(scores[0].score.ok());
  EXPECT_EQ(scores[0].score.evidence()->status, EvidenceStatus::not_positive_definite);
  EXPECT_TRUE(std::isnan(scores[0].score.evidence()->log_marginal_likelihood));
  EXPECT_EQ(scores[0].score.evidence()->failed_pivot, 17);
  EXPECT_EQ(scores[1].score.value(), 0.1 + 0.2);
  EXPECT_EQ(scores[1].score.evidence()->jitter, 1e-9);
  const auto training = store.training();
  ASSERT_EQ(training.size(), 1u);
  EXPECT_EQ(training[0].score, 0.9);
  EXPECT_EQ(training[0].final_loss, 0.25);
  EXPECT_EQ(training[0].curve, (std::vector<double>{0.1, 0.2, 0.1 * 3}));
  const std::vector<Cell> cells = store.cells();
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return !cell.done; }), 1);
}

TEST_F(StoreTest, PredictionsAreClaimedOnce) {
  Store mine = filled(), theirs = filled(elsewhere);
  const Kinds predictions = {risk_kind};
  EXPECT_FALSE(mine.claim(predictions));
  mine.add_criterion(risk_kind);
  theirs.add_criterion(risk_kind);  // both were asked to predict
  EXPECT_EQ(mine.cells().size(), 4u + 3);
  const auto first = mine.claim(predictions);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size, 100);
  EXPECT_EQ(first->kind, risk_kind);
  const auto second = theirs.claim(predictions);  // the other size: matrices of this one are being worked on
  ASSERT_TRUE(second);
  EXPECT_EQ(second->size, 200);
  mine.finish(*first, TrainedRisk{.failure = "", .error = 0.5}, 1.0);
  theirs.finish(*first, TrainedRisk{.failure = "", .error = 0.7}, 1.0);
  theirs.finish(*second, TrainedRisk{.failure = "too many rows"}, 1.0);
  const auto third = mine.claim(predictions);
  ASSERT_TRUE(third);
  EXPECT_NE(third->id, first->id);
  EXPECT_FALSE(theirs.claim(predictions));  // nothing is left but what this process holds
  const auto scores = mine.scores();
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].criterion, risk_kind);
  EXPECT_EQ(scores[0].score.risk()->error, 0.5);
  EXPECT_EQ(scores[1].score.failure(), "too many rows");
}

TEST_F(StoreTest, KeepsTheThreadsOfAllWhoWorked) {
  Store store = filled();
  EXPECT_TRUE(store.threads().empty());
  for (const int threads : {12, 2, 12}) store.note_threads(threads);
  EXPECT_EQ(open().threads(), (std::vector{2, 12}));
  EXPECT_NO_THROW(store.require_sound());
  Database(path_, Database::Mode::existing).execute("UPDATE meta SET value = '2,x' WHERE key = 'threads'");
  test::expect_error(
      ErrorKind::data, [&] { open().threads(); }, "numbers of threads", "'x'");
}

TEST_F(StoreTest, WhoDoesNotKnowACriterionLeavesItsCells) {
  Store store = filled();
  store.add_criterion("of my own");
  while (const auto cell = store.claim({evidence_kind})) store.finish(*cell, evidence_of(1.0), 0.0);
  while (const auto cell = store.claim({training_kind})) store.finish(*cell, TrainingSummary(), true);
  EXPECT_FALSE(store.claim(kinds));
  const auto cell = store.claim({"of my own"});
  ASSERT_TRUE(cell);
  store.finish(*cell, Score::of(0.25), 0.0);
  EXPECT_EQ(store.scores().back().criterion, "of my own");
  EXPECT_EQ(store.scores().back().score.value(), 0.25);
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
  EXPECT_EQ(open().fact("network.new"), "1");  // and is recorded, should the default change
}

TEST_F(StoreTest, RefusesWhatALaterVersionWrote) {
  filled();
  Database(path_, Database::Mode::existing).execute("PRAGMA user_version = 4");
  const auto act = [&] { open().create_or_check(entries, {}, {}, {}); };
  test::expect_error(ErrorKind::data, act, "a later version", "format 4");
  test::expect_error(
      ErrorKind::data, [&] { open().require_known_format(); }, "a later version");
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
}  // namespace priorfit::internal
