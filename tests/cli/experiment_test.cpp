// priorfit experiment as a user meets it: killed, shared, interrupted, out of disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/process.hpp"
#include "experiment/result.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// 18 cells, a second or two: enough to be killed at many moments.
std::vector<std::string> sweep(const std::string& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"experiment", "--data",
                                    "digits",     "--sizes",
                                    "60,120",     "--width",
                                    "16",         "--epochs",
                                    "40",         "--batch",
                                    "20",         "--seeds",
                                    "2",          "--weight-variances",
                                    "0.5,3",      "--bias-variances",
                                    "0",          "--checkpoint-every",
                                    "1",          "--threads",
                                    "1",          "--out",
                                    folder};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> program(std::vector<std::string> words) {
  words.insert(words.begin(), PRIORFIT_BINARY);
  return words;
}

std::string database(const std::string& folder) { return folder + "/experiment.sqlite"; }

std::string single(const std::string& folder, const char* sql) {
  internal::Database opened(database(folder), internal::Database::Mode::existing);
  internal::Statement row = opened.prepare(sql);
  return row.step() ? row.text(0) : "";
}

/// The result of a run that nothing disturbed, and how long it took.
struct Undisturbed {
  std::string json;
  milliseconds duration;

  static const Undisturbed& get() {
    static const Undisturbed result = [] {
      const Scratch scratch;
      const auto start = std::chrono::steady_clock::now();
      const Outcome outcome = priorfit(sweep(scratch.path("e"), {"--quiet"}));
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      const auto time = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
      return Undisturbed{read_all(scratch.path("e/experiment.json")), time};
    }();
    return result;
  }
};

TEST(Experiment, GivesTheTableInEveryFormat) {
  const Scratch scratch;
  const Outcome outcome = priorfit(sweep(scratch.path("e")));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"best", "worst", "He", "recommended", "regret", "rank correlation", "40 epochs", "2 seeds"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  const auto json = nlohmann::json::parse(read_all(scratch.path("e/experiment.json")));
  EXPECT_EQ(json.at("schema"), "priorfit.experiment/1");
  EXPECT_EQ(json.at("complete"), true);
  EXPECT_EQ(json.at("rows").size(), 8u);
  EXPECT_EQ(json.at("sizes").at(0).at("cells").size(), 6u);  // two pairs and He, two seeds each
  EXPECT_EQ(json.at("sizes").at(0).at("cells").at(0).at("curve").size(), 40u);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path("e/checkpoints")));

  const auto show = [&](const char* format) {
    return priorfit({"experiment", "--show", "--out", scratch.path("e"), "--format", format}).out;
  };
  EXPECT_EQ(show("json"), read_all(scratch.path("e/experiment.json")));
  EXPECT_EQ(show("table"), outcome.out);
  EXPECT_THAT(show("csv"), HasSubstr("\n120,recommended,"));
  EXPECT_THAT(show("markdown"), HasSubstr("| 60 | He |"));

  const Outcome again =
      priorfit({"experiment", "--specification", scratch.path("e/specification.toml"), "--out", scratch.path("e")});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, outcome.out);
}

TEST(Experiment, KilledTwentyTimesEndsWithTheSameBytes) {
  const Undisturbed& reference = Undisturbed::get();
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  std::mt19937 random(7);
  std::uniform_int_distribution<long> delay(1, std::max(20L, static_cast<long>(reference.duration.count()) / 4));
  for (int killed = 0; killed < 20;) {
    const pid_t child = spawn(program(sweep(folder, {"--quiet"})), scratch.path("out"), scratch.path("err"));
    std::this_thread::sleep_for(milliseconds(delay(random)));
    kill(child, SIGKILL);
    const int code = wait_for(child);
    if (std::filesystem::exists(database(folder))) {
      EXPECT_EQ(single(folder, "PRAGMA integrity_check"), "ok");
    }
    if (code == 128 + SIGKILL) {
      ++killed;
    } else {  // it was done before the kill: look at the result and begin anew
      ASSERT_EQ(code, 0) << read_all(scratch.path("err"));
      EXPECT_EQ(read_all(folder + "/experiment.json"), reference.json);
      std::filesystem::remove_all(folder);
    }
  }
  const Outcome last = priorfit(sweep(folder, {"--quiet"}));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(read_all(folder + "/experiment.json"), reference.json);
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/checkpoints"));
}

TEST(Experiment, TwoProcessesShareTheCells) {
  const Undisturbed& reference = Undisturbed::get();
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  const pid_t first = spawn(program(sweep(folder)), scratch.path("out1"), scratch.path("err1"));
  const pid_t second = spawn(program(sweep(folder)), scratch.path("out2"), scratch.path("err2"));
  EXPECT_EQ(wait_for(first), 0) << read_all(scratch.path("err1"));
  EXPECT_EQ(wait_for(second), 0) << read_all(scratch.path("err2"));
  EXPECT_EQ(read_all(scratch.path("out1")), read_all(scratch.path("out2")));
  EXPECT_EQ(read_all(folder + "/experiment.json"), reference.json);
  EXPECT_EQ(single(folder, "SELECT max(times_claimed) FROM cells"), "1");
  EXPECT_EQ(single(folder, "SELECT count(DISTINCT owner_pid) FROM cells"), "2");
}

TEST(Experiment, TwoProcessesShareThePredictions) {
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  ASSERT_EQ(priorfit(sweep(folder, {"--quiet"})).code, 0);
  const std::vector<std::string> words = program(sweep(folder, {"--trained-risk", "--quiet"}));
  const pid_t first = spawn(words, scratch.path("out1"), scratch.path("err1"));
  const pid_t second = spawn(words, scratch.path("out2"), scratch.path("err2"));
  EXPECT_EQ(wait_for(first), 0) << read_all(scratch.path("err1"));
  EXPECT_EQ(wait_for(second), 0) << read_all(scratch.path("err2"));
  EXPECT_EQ(read_all(scratch.path("out1")), read_all(scratch.path("out2")));
  EXPECT_EQ(single(folder, "SELECT count(*) FROM cells WHERE kind = 'trained-risk'"), "6");
  EXPECT_EQ(single(folder, "SELECT max(times_claimed) FROM cells"), "1");
}

TEST(Experiment, HowTrainingIsPredictedIsKept) {
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  const std::vector<std::string> small = {"experiment",
                                          "--data",
                                          "digits",
                                          "--sizes",
                                          "30",
                                          "--epochs",
                                          "1",
                                          "--width",
                                          "8",
                                          "--quiet",
                                          "--out",
                                          folder,
                                          "--ridge",
                                          "0.5",
                                          "--predict-steps",
                                          "20",
                                          "--predict-learning-rate",
                                          "0.1",
                                          "--trained-risk"};
  const Outcome outcome = priorfit(small);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto prediction =
      nlohmann::json::parse(read_all(folder + "/experiment.json")).at("specification").at("prediction");
  EXPECT_EQ(prediction.at("optimizer"), "gradient-descent");
  EXPECT_EQ(prediction.at("ridge"), 0.5);
  EXPECT_EQ(prediction.at("steps"), 20.0);
  EXPECT_THAT(read_all(folder + "/specification.toml"), HasSubstr("steps = 20\nlearning_rate = 0.1\n"));
  std::vector<std::string> other = small;
  other[13] = "0.25";
  EXPECT_THAT(priorfit(other).err, HasSubstr("prediction.ridge = 0.5, and 0.25 is asked for now"));
  EXPECT_THAT(priorfit({"experiment", "--data", "digits", "--sizes", "30", "--predict-steps", "5"}).err,
              HasSubstr("--predict-steps and --predict-learning-rate go together"));
}

TEST(Experiment, AChangedSpecificationIsRefused) {
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  const std::vector<std::string> small = {"--sizes", "30", "--epochs", "1", "--seeds", "1", "--quiet"};
  std::vector<std::string> words = {"experiment", "--data", "digits", "--width", "8",
                                    "--threads",  "1",      "--out",  folder};
  words.insert(words.end(), small.begin(), small.end());
  ASSERT_EQ(priorfit(words).code, 0);
  const std::string before = read_all(folder + "/experiment.json");
  words[std::find(words.begin(), words.end(), "--epochs") - words.begin() + 1] = "2";
  const Outcome changed = priorfit(words);
  EXPECT_EQ(changed.code, 2);
  EXPECT_THAT(changed.err, HasSubstr("training.epochs = 1, and 2 is asked for now"));
  EXPECT_EQ(read_all(folder + "/experiment.json"), before);
}

TEST(Experiment, ChangedDataAreRefused) {
  const Scratch scratch;
  const auto table = [](int shift) {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(i) + "," + std::to_string((i * 7 + shift) % 31) + ".5\n";
    return text;
  };
  const std::vector<std::string> words = {"experiment", "--data",  scratch.file("t.csv", table(0)),
                                          "--sizes",    "20",      "--epochs",
                                          "1",          "--width", "4",
                                          "--quiet",    "--out",   scratch.path("e")};
  const Outcome first = priorfit(words);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("rmse"));
  scratch.file("t.csv", table(1));
  const Outcome second = priorfit(words);
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr("contents of the data"));
}

TEST(Experiment, InterruptedItKeepsWhatIsDoneAndContinues) {
  const Undisturbed& reference = Undisturbed::get();
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  const pid_t child = spawn(program(sweep(folder)), scratch.path("out"), scratch.path("err"));
  for (int i = 0; i < 600; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    if (!std::filesystem::exists(folder + "/checkpoints/cell-4.checkpoint")) continue;
    break;
  }
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_THAT(read_all(scratch.path("err")), HasSubstr("run it again to continue"));
  EXPECT_EQ(nlohmann::json::parse(read_all(folder + "/experiment.json")).at("complete"), false);
  EXPECT_EQ(single(folder, "SELECT count(*) FROM cells WHERE state = 'claimed'"), "0");
  EXPECT_EQ(priorfit(sweep(folder, {"--quiet"})).code, 0);
  EXPECT_EQ(read_all(folder + "/experiment.json"), reference.json);
}

/// One pair, whose training (cell 2) takes seconds and writes a checkpoint after each epoch.
std::vector<std::string> one_training(const std::string& folder) {
  std::vector<std::string> words = sweep(folder);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--sizes") words[i + 1] = "600";
    if (words[i] == "--width") words[i + 1] = "200";
    if (words[i] == "--epochs") words[i + 1] = "400";
    if (words[i] == "--seeds") words[i + 1] = "1";
    if (words[i] == "--weight-variances") words[i + 1] = "2";
  }
  return words;
}

/// A process that was stopped in the midst of its training; 0 when it was done before it could be.
pid_t stopped_midway(const Scratch& scratch, const std::string& folder) {
  const pid_t child = spawn(program(one_training(folder)), scratch.path("out"), scratch.path("err"));
  for (int i = 0; i < 10'000 && !std::filesystem::exists(folder + "/checkpoints/cell-2.checkpoint"); ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  kill(child, SIGSTOP);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  return WIFSTOPPED(status) ? child : 0;
}

TEST(Experiment, ATrainingOfAStoppedProcessIsTakenOver) {
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  ASSERT_EQ(priorfit(one_training(scratch.path("whole"))).code, 0);
  const pid_t stopped = stopped_midway(scratch, folder);
  ASSERT_NE(stopped, 0) << "done before it could be stopped";
  const Experiment taken_over = run_experiment(read_experiment(folder).specification,
                                               {.folder = folder, .patience = milliseconds(50)}, {.threads = 1});
  EXPECT_TRUE(taken_over.complete);
  EXPECT_EQ(single(folder, "SELECT resumed_epochs > 0 FROM training"), "1");
  EXPECT_EQ(read_all(folder + "/experiment.json"), read_all(scratch.path("whole/experiment.json")));
  kill(stopped, SIGCONT);
  EXPECT_EQ(wait_for(stopped), 0) << read_all(scratch.path("err"));
  EXPECT_EQ(read_all(folder + "/experiment.json"), read_all(scratch.path("whole/experiment.json")));
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/checkpoints"));
}

TEST(Experiment, AProcessThatWakesLeavesTheCheckpointToItsSuccessor) {
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  const pid_t stopped = stopped_midway(scratch, folder);
  ASSERT_NE(stopped, 0) << "done before it could be stopped";
  Store successor(database(folder), Database::Mode::existing, this_process());
  successor.set_patience(milliseconds(0));
  std::optional<Cell> cell;
  for (int i = 0; i < 100 && !cell; ++i) {
    cell = successor.claim({evidence_kind, training_kind});
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_TRUE(cell);
  kill(stopped, SIGCONT);
  const auto waits = [&] { return read_all(scratch.path("err")).find("waiting for process") != std::string::npos; };
  for (int i = 0; i < 12'000 && !waits(); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(waits()) << read_all(scratch.path("err"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/checkpoints/cell-2.checkpoint"));
  successor.release(*cell);
  EXPECT_EQ(wait_for(stopped), 0) << read_all(scratch.path("err"));
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/checkpoints"));
}

TEST(Experiment, KilledItHasAPage) {
  const Scratch scratch;
  const std::string folder = scratch.path("e");
  const pid_t child = spawn(program(sweep(folder)), scratch.path("out"), scratch.path("err"));
  for (int i = 0; i < 600 && !std::filesystem::exists(folder + "/checkpoints/cell-4.checkpoint"); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  kill(child, SIGKILL);
  wait_for(child);
  const Outcome page = priorfit({"report", folder});
  if (page.err.find("built without the report page") != std::string::npos) GTEST_SKIP() << page.err;
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(nlohmann::json::parse(read_all(folder + "/experiment.json")).at("complete"), false);
}

/// Runs in a folder with little room, then with enough, and looks at what the first run left.
void expect_recovery(const std::string& folder, const Outcome& cramped, const std::function<void()>& make_room) {
  EXPECT_EQ(cramped.code, 5) << cramped.err;
  EXPECT_THAT(cramped.err, HasSubstr("priorfit: "));
  if (std::filesystem::exists(database(folder))) {
    EXPECT_EQ(single(folder, "PRAGMA integrity_check"), "ok");
  }
  make_room();
  const Outcome last = priorfit(sweep(folder, {"--quiet"}));
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(read_all(folder + "/experiment.json"), Undisturbed::get().json);
}

TEST(Experiment, AFullDiskEndsWithCode5AndAnIntactDatabase) {
  const Scratch scratch;
  const std::string disk = scratch.path("disk");
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m") != 0) GTEST_SKIP() << "mounting needs root";
  for (const int free_kilobytes : {8, 24, 48, 64, 80}) {
    const std::string folder = disk + "/e" + std::to_string(free_kilobytes);
    const std::string filler = disk + "/filler";
    const auto space = std::filesystem::space(disk).available;
    scratch.file("disk/filler", std::string(space - static_cast<std::size_t>(free_kilobytes) * 1024, 'x'));
    const Outcome cramped = priorfit(sweep(folder, {"--quiet"}));
    expect_recovery(folder, cramped, [&] { std::filesystem::remove(filler); });
    std::filesystem::remove_all(folder);
  }
  umount(disk.c_str());
}

// The same without root: no file may grow beyond a limit.
TEST(Experiment, AFileThatCannotGrowEndsWithCode5AndAnIntactDatabase) {
  for (const char* blocks : {"16", "48", "72"}) {  // of 512 bytes, or of 1024 where sh is bash
    const Scratch scratch;
    const std::string folder = scratch.path("e");
    std::vector<std::string> words = {"sh", "-c", std::string("trap '' XFSZ; ulimit -f ") + blocks + "; exec \"$@\"",
                                      "sh"};
    for (const std::string& word : program(sweep(folder, {"--quiet"}))) words.push_back(word);
    expect_recovery(folder, run_program(words), [] {});
  }
}

TEST(Experiment, ExplainsWhatIsWrong) {
  const Scratch scratch;
  const auto error = [](std::vector<std::string> words, int code) {
    words.insert(words.begin(), "experiment");
    const Outcome outcome = priorfit(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(error({}, 2), HasSubstr("--data, --preset or --specification"));
  EXPECT_THAT(error({"--data", "digits"}, 2), HasSubstr("--sizes"));
  EXPECT_THAT(error({"--data", "digits", "--sizes", "10,1.5"}, 2), HasSubstr("not a whole number"));
  EXPECT_THAT(error({"--data", "digits", "--sizes", "5000", "--out", scratch.path("e")}, 2), HasSubstr("1438"));
  EXPECT_THAT(error({"--preset", "paper-curve"}, 2), HasSubstr("did you mean 'paper-curves'"));
  EXPECT_THAT(error({"--show", "--out", scratch.path("nothing")}, 5), HasSubstr("no experiment"));
  const std::string huge =
      error({"--data", "digits", "--sizes", "50", "--weight-variances", "2,1e300", "--out", scratch.path("e")}, 2);
  EXPECT_THAT(huge, HasSubstr("is 1e+300: the weights of layer"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("e")));
  const std::string file = scratch.file("s.toml", "[training]\nepoch = 1\n");
  EXPECT_THAT(error({"--specification", file}, 3), HasSubstr("line 2"));
}

}  // namespace
}  // namespace priorfit::cli
