// Every allocation of 64 kB or more made to fail, and memory that is short from the start: exit code 6 and the bytes.
#include <gmock/gmock.h>

#include "faults/faults.hpp"

namespace priorfit::cli {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::MatchesRegex;

struct Job {
  const char* name;
  Words words;  // OUT stands for a place to write to
};

const Job jobs[] = {
    {"recommend", {"recommend", "digits", "--samples", "150", "--grid", "paper", "--out", "OUT", "--quiet"}},
    {"predict", {"predict", "digits", "--samples", "150", "--noise", "0.1", "--out", "OUT", "--quiet"}},
    {"train", {"train", "digits", "--samples", "150", "--width", "300", "--epochs", "1", "--out", "OUT", "--quiet"}},
    {"init", {"init", "--layers", "200,200,10", "--out", "OUT.safetensors"}},
    {"npz", {"init", "--layers", "200,200,10", "--out", "OUT.npz"}},
    {"experiment", {"experiment", "--data", "digits", "--sizes", "150", "--width", "200", "--epochs", "1",
                    "--weight-variances", "2", "--bias-variances", "0", "--out", "OUT", "--quiet"}},
};

class Memory : public testing::TestWithParam<Job> {};

TEST_P(Memory, ThatIsRefusedEndsWithCode6AndTheBytes) {
  const Scratch scratch;
  const auto prepare = [&] {
    std::filesystem::remove_all(scratch.path("out"));
    Words words = GetParam().words;
    for (std::string& word : words) {
      if (word.starts_with("OUT")) word = scratch.path("out") + word.substr(3);
    }
    // OpenBLAS with several threads ends the process itself when it has no memory for its own work list.
    if (words[0] != "init") words.insert(words.end(), {"--threads", "1"});
    return words;
  };
  int refused = 0;
  const int faults = for_each_fault("memory", prepare, [&](const FaultyRun& run) {
    // Some callers do with less, such as the C++ library's reserve for exceptions.
    EXPECT_THAT(run.outcome.code, AnyOf(Eq(6), Eq(0))) << run.outcome.err;
    if (run.outcome.code == 0) return;
    ++refused;
    EXPECT_THAT(run.outcome.err, HasSubstr(" bytes"));
    EXPECT_THAT(run.outcome.err, testing::Not(HasSubstr(" 0 bytes")));
    EXPECT_THAT(run.outcome.err, testing::Not(HasSubstr("internal")));
  });
  EXPECT_GE(refused, 3) << "of " << faults;
}

INSTANTIATE_TEST_SUITE_P(Commands, Memory, testing::ValuesIn(jobs),
                         [](const auto& info) { return std::string(info.param.name); });

/// A table of many rows and one feature: small to hold, large to factor.
std::string long_table() {
  std::string text = "x,y\n";
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i % 97) + "." + std::to_string(i % 89) + "," + std::to_string(i % 83) + ".5\n";
  return text;
}

// 30,000 rows need 3.6 GB; the process may have 1.5 GB of addresses.
TEST(MemoryUpFront, IsComparedWithWhatIsThereAndTheLargestSampleNamed) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", long_table());
  const auto limited = [&](const std::string& samples) {
    return run_program({"sh", "-c", "ulimit -v 1500000; exec \"$@\"", "sh", "env", "OMP_NUM_THREADS=1",
                        "OPENBLAS_NUM_THREADS=1", PRIORFIT_BINARY, "recommend", table, "--samples", samples, "--grid",
                        "paper", "--noise", "0.1", "--weight-variances", "2", "--bias-variances", "0", "--quiet"});
  };
  const Outcome outcome = limited("30000");
  EXPECT_EQ(outcome.code, 6) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("3600120000 bytes"));
  const auto at = outcome.err.find("use --samples ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  const int largest = std::atoi(outcome.err.c_str() + at + 14);
  EXPECT_GT(largest, 5'000);
  EXPECT_LT(largest, 20'000);
}

}  // namespace
}  // namespace priorfit::cli
