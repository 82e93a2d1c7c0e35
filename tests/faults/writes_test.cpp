// Every file the program writes, with every one of the calls on its way made to fail: exit code 5, and what was there
// before is there still, byte for byte, or the whole of what should have come.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "experiment/database.hpp"
#include "faults/faults.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Writer {
  const char* name;
  Words words;  // DATA, OUT and SEED stand for the table, the place of the result and what makes one run unlike another
};

const Writer writers[] = {
    {"recommend", {"recommend", "DATA", "--seed", "SEED", "--grid", "paper", "--noise", "0.1", "--out", "OUT/r"}},
    {"continuous",
     {"recommend", "DATA", "--seed", "SEED", "--samples", "20", "--depth", "2", "--activation", "erf", "--noise", "0.1",
      "--out", "OUT/c"}},
    {"report",
     {"recommend", "DATA", "--seed", "SEED", "--grid", "paper", "--noise", "0.1", "--out", "OUT/r", "--report"}},
    {"trained_risk",
     {"recommend", "DATA", "--seed", "SEED", "--samples", "20", "--criterion", "trained-risk", "--width", "8",
      "--noise", "0.1", "--weight-variances", "1", "--bias-variances", "0", "--out", "OUT/k"}},
    {"kernel",
     {"kernel", "DATA", "--seed", "SEED", "--samples", "20", "--tangent", "--width", "8", "--out", "OUT/k.npy"}},
    {"safetensors",
     {"init", "--layers", "3,9,2", "--activation", "leaky_relu:0.2", "--seed", "SEED", "--out", "OUT/w.safetensors"}},
    {"npz", {"init", "--layers", "3,9,2", "--seed", "SEED", "--out", "OUT/w.npz"}},
    {"train",
     {"train", "DATA", "--seed", "SEED", "--width", "8", "--depth", "2", "--activation", "tanh", "--epochs", "3",
      "--checkpoint-every", "1", "--out", "OUT/t"}},
    {"predict",
     {"predict", "DATA", "--seed", "SEED", "--test-fraction", "0.3", "--weight-variance", "2", "--noise", "0.1",
      "--out", "OUT/p", "--report"}},
    {"csv",
     {"predict", "DATA", "--seed", "SEED", "--test-fraction", "0.3", "--weight-variance", "2", "--noise", "0.1",
      "--out", "OUT/p.csv"}},
    {"npy",
     {"predict", "DATA", "--seed", "SEED", "--test-fraction", "0.3", "--weight-variance", "2", "--noise", "0.1",
      "--out", "OUT/p.npy"}},
    {"simulate", {"simulate", "--seed", "SEED", "--seeds", "1", "--out", "OUT/s", "--report"}},
    {"phase",
     {"phase", "--depth", "SEED", "--activation", "erf", "--weight-variances", "1,2", "--bias-variances", "0,0.1",
      "--out", "OUT/m"}},
};

class Writes : public testing::TestWithParam<Writer> {
 protected:
  Words words(const std::string& out, const std::string& seed) const {
    Words filled = GetParam().words;
    for (std::string& word : filled) {
      if (word == "DATA") word = table_;
      if (word == "SEED") word = seed;
      if (word.starts_with("OUT/")) word = scratch_.path(out) + word.substr(3);
    }
    filled.push_back("--quiet");
    if (filled[0] != "init") filled.insert(filled.end(), {"--threads", "1"});
    return filled;
  }

  /// A file is whole when a run that nothing disturbed wrote the same, apart from how long things took.
  static bool is_whole(const std::string& name, const std::string& found, const std::string& expected) {
    if (name.ends_with(".json")) return nlohmann::json::accept(found);
    if (name.ends_with("checkpoint"))
      return true;  // of an earlier epoch, perhaps: expect_continued() sees whether it serves
    if (name.ends_with(".html")) return found.ends_with("</html>\n") || found.size() + 200 > expected.size();
    return found == expected;
  }

  /// The same command, undisturbed, ends as if it always had been.
  void expect_continued(const std::map<std::string, std::string>& whole) const {
    const Outcome again = priorfit(words("out", "2"));
    ASSERT_EQ(again.code, 0) << again.err;
    const auto found = contents(scratch_.path("out"));
    for (const auto& [name, bytes] : whole) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_TRUE(is_whole(name, found.at(name), bytes)) << name;
      if (name.ends_with("checkpoint")) {
        EXPECT_EQ(found.at(name), bytes);
      }
    }
  }

  void expect_old_or_whole(const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& whole) const {
    const auto found = contents(scratch_.path("out"));
    for (const auto& [name, bytes] : before) {
      if (!name.ends_with("report.html")) {
        ASSERT_TRUE(found.contains(name)) << name << " is gone";
      } else if (found.contains(name) && found.at(name) == bytes) {
        for (const auto& [other, old] : before) EXPECT_EQ(found.at(other), old) << other << " is new, the page is not";
      }
    }
    for (const auto& [name, bytes] : found) {
      EXPECT_FALSE(name.ends_with(".tmp")) << name << " was left behind";
      if (before.contains(name) && before.at(name) == bytes) continue;
      if (name.ends_with("/unfinished.json")) {  // there until the training ends
        EXPECT_TRUE(nlohmann::json::accept(bytes));
        continue;
      }
      ASSERT_TRUE(whole.contains(name)) << name;
      EXPECT_TRUE(is_whole(name, bytes, whole.at(name))) << name << " is neither old nor whole";
    }
  }

  const Scratch scratch_;
  const std::string table_ = scratch_.file("table.csv", small_table());
};

TEST_P(Writes, FailWithCode5AndLeaveWhatWasThere) {
  std::filesystem::create_directory(scratch_.path("before"));
  std::filesystem::create_directory(scratch_.path("whole"));
  const Outcome first = priorfit(words("before", "1")), second = priorfit(words("whole", "2"));
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(second.code, 0) << second.err;
  auto before = contents(scratch_.path("before"));
  const auto whole = contents(scratch_.path("whole"));
  ASSERT_FALSE(before.empty());
  if (GetParam().name == std::string("train"))
    before.erase("t/checkpoint");  // it belongs to the run with the other seed

  const auto prepare = [&] {
    std::filesystem::remove_all(scratch_.path("out"));
    for (const auto& [name, bytes] : before) {
      std::filesystem::create_directories(std::filesystem::path(scratch_.path("out/" + name)).parent_path());
      scratch_.file("out/" + name, bytes);
    }
    return words("out", "2");
  };
  int faults = 0;
  for (const char* kind : {"open", "write", "sync", "rename"}) {
    faults += for_each_fault(kind, prepare, [&](const FaultyRun& run) {
      EXPECT_EQ(run.outcome.code, 5) << run.outcome.err;
      EXPECT_THAT(run.outcome.err, StartsWith("priorfit: "));
      expect_old_or_whole(before, whole);
      expect_continued(whole);
    });
    expect_old_or_whole(before, whole);
  }
  EXPECT_GE(faults, 4) << "each kind of call at least once";
}

TEST_P(Writes, FailWithCode5WhereNoFolderCanBe) {
  scratch_.file("out", "a file");
  const Outcome outcome = priorfit(words("out", "1"));
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_EQ(read_all(scratch_.path("out")), "a file");
}

INSTANTIATE_TEST_SUITE_P(Commands, Writes, testing::ValuesIn(writers),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(WritesOf, AFolderThatCannotBeMade) {
  const Scratch scratch;
  const Words words = {"recommend", scratch.file("t.csv", small_table()),
                       "--grid",    "paper",
                       "--noise",   "0.1",
                       "--out",     scratch.path("r/below"),
                       "--quiet"};
  const int faults = for_each_fault(
      "mkdir", [&] { return std::filesystem::remove_all(scratch.path("r")), words; },
      [](const FaultyRun& run) { EXPECT_EQ(run.outcome.code, 5) << run.outcome.err; });
  EXPECT_GE(faults, 2);
}

TEST(WritesOf, APageOfEarlierResults) {
  const Scratch scratch;
  const std::string folder = scratch.path("r"), page = scratch.path("r/report.html");
  ASSERT_EQ(priorfit({"recommend", scratch.file("t.csv", small_table()), "--grid", "paper", "--noise", "0.1", "--out",
                      folder, "--quiet"})
                .code,
            0);
  const auto results = contents(folder);
  ASSERT_EQ(priorfit({"report", folder}).code, 0);
  const std::string whole = read_all(page);
  const auto prepare = [&] {
    scratch.file("r/report.html", "an earlier page");
    return Words{"report", folder};
  };
  int faults = 0;
  for (const char* kind : {"open", "write", "sync", "rename"}) {
    faults += for_each_fault(kind, prepare, [&](const FaultyRun& run) {
      EXPECT_EQ(run.outcome.code, 5) << run.outcome.err;
      // The folder is synced after the rename: where that fails, the new page is there and may not survive a power cut.
      EXPECT_THAT(read_all(page), testing::AnyOf("an earlier page", whole));
      auto found = contents(folder);
      found.erase("report.html");
      EXPECT_EQ(found, results);
    });
    EXPECT_EQ(read_all(page), whole);
  }
  EXPECT_GE(faults, 4);
}

TEST(WritesOf, TheResultToAFullDisk) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", small_table());
  for (Words words : {Words{"recommend", table, "--grid", "paper"},
                      {"predict", table, "--weight-variance", "2", "--noise", "0.1"},
                      {"data", table},
                      {"train", table, "--width", "8", "--epochs", "1"},
                      {"simulate", "--seeds", "1"},
                      {"phase"}}) {
    words.insert(words.begin(), {"sh", "-c", "exec \"$@\" >/dev/full", "sh", PRIORFIT_BINARY});
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.code, 5) << words[5] << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("No space left"));
  }
}

TEST(WritesOf, TheNameOfANewFileReachesTheDiskToo) {
  const Scratch scratch;
  const Words words = {"init", "--layers", "2,3,1", "--scheme", "he", "--out", scratch.path("w.safetensors")};
  const int syncs = for_each_fault(
      "sync", [&] { return words; }, [](const FaultyRun& run) { EXPECT_EQ(run.outcome.code, 5); });
  EXPECT_EQ(syncs, 2) << "the file, then its folder";
}

/// Two cells of evidence and two networks.
Words experiment(const Scratch& scratch, const std::string& out) {
  return {"experiment",
          "--data",
          scratch.path("t.csv"),
          "--sizes",
          "16",
          "--width",
          "4",
          "--epochs",
          "2",
          "--batch",
          "8",
          "--weight-variances",
          "2",
          "--bias-variances",
          "0,1",
          "--checkpoint-every",
          "1",
          "--threads",
          "1",
          "--quiet",
          "--out",
          scratch.path(out)};
}

class ExperimentWrites : public testing::TestWithParam<const char*> {};

// The database moves on cell by cell, so it is sound rather than old, and the same command ends as if nothing had been.
TEST_P(ExperimentWrites, LeaveADatabaseThatGoesOn) {
  const Scratch scratch;
  scratch.file("t.csv", small_table());
  ASSERT_EQ(priorfit(experiment(scratch, "whole")).code, 0);
  const std::string expected = read_all(scratch.path("whole/experiment.json"));
  const auto prepare = [&] {
    std::filesystem::remove_all(scratch.path("out"));
    return experiment(scratch, "out");
  };
  const int faults = for_each_fault(GetParam(), prepare, [&](const FaultyRun& run) {
    // SQLite does without some calls, such as the sync of a folder, and repeats others.
    EXPECT_TRUE(run.outcome.code == 5 || run.outcome.code == 0) << run.outcome.code << run.outcome.err;
    if (std::filesystem::exists(scratch.path("out/experiment.sqlite"))) {
      internal::Database opened(scratch.path("out/experiment.sqlite"), internal::Database::Mode::existing);
      internal::Statement row = opened.prepare("PRAGMA integrity_check");
      ASSERT_TRUE(row.step());
      EXPECT_EQ(row.text(0), "ok");
    }
    const Outcome again = priorfit(experiment(scratch, "out"));
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(read_all(scratch.path("out/experiment.json")), expected);
  });
  EXPECT_GE(faults, 2);
}

INSTANTIATE_TEST_SUITE_P(Calls, ExperimentWrites, testing::Values("open", "write", "sync", "rename", "mkdir"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace priorfit::cli
