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
    {"tables",
     {"recommend", "digits", "--samples", "120", "--activation", "tanh", "--depth", "2", "--noise", "0.1",
      "--weight-variances", "2", "--bias-variances", "0.1", "--quiet"}},
    {"gradient", {"recommend", "digits", "--samples", "40", "--activation", "tanh", "--noise", "0.1", "--quiet"}},
    {"predict",
     {"predict", "digits", "--samples", "150", "--weight-variance", "2", "--noise", "0.1", "--out", "OUT", "--quiet"}},
    {"train", {"train", "digits", "--samples", "150", "--width", "300", "--epochs", "1", "--out", "OUT", "--quiet"}},
    {"init", {"init", "--layers", "200,200,10", "--out", "OUT.safetensors"}},
    {"npz", {"init", "--layers", "200,200,10", "--out", "OUT.npz"}},
    {"experiment",
     {"experiment", "--data", "digits", "--sizes", "150", "--width", "200", "--epochs", "1", "--weight-variances", "2",
      "--bias-variances", "0", "--out", "OUT", "--quiet"}},
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
std::string long_table(int rows) {
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i % 97) + "." + std::to_string(i % 89) + "," + std::to_string(i % 83) + ".5\n";
  }
  return text;
}

// OpenBLAS would ask for its buffer for ever.
TEST(MemoryUpFront, OfTheLinearAlgebraIsThereOrAskedFor) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", small_table());
  for (const Words& command : {Words{"recommend", table, "--criterion", "evidence"},
                               {"predict", table, "--weight-variance", "2", "--noise", "0.1"},
                               {"simulate", "--seeds", "1"},
                               {"train", table, "--width", "8", "--epochs", "1"}}) {
    Words words = {"sh",           "-c",  "ulimit -v 260000; exec timeout -s KILL 5 \"$@\"",
                   "sh",           "env", "OMP_NUM_THREADS=1",
                   PRIORFIT_BINARY};
    words.insert(words.end(), command.begin(), command.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.code, 6) << command[0] << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("134283264 bytes of addresses"));
  }
}

TEST(MemoryUpFront, OfATrainingIsComparedWithWhatIsThere) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", small_table());
  const Outcome outcome =
      run_program({"sh", "-c", "ulimit -v 1000000; exec timeout 20 \"$@\"", "sh", "env", "OMP_NUM_THREADS=1",
                   PRIORFIT_BINARY, "train", table, "--depth", "100", "--epochs", "1"});
  EXPECT_EQ(outcome.code, 6) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("parameters needs 6.3"));
}

// 8,000 rows need 0.26 GB; the process may have 0.4 GB of addresses, libraries and stacks included.
TEST(MemoryUpFront, IsComparedWithWhatIsThereAndTheLargestSampleNamedWhichFits) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", long_table(8'000));
  const auto limited = [&](Words command, const std::string& samples) {
    Words words = {"sh",
                   "-c",
                   "ulimit -v 400000; exec \"$@\"",
                   "sh",
                   "env",
                   "OMP_NUM_THREADS=1",
                   "OPENBLAS_NUM_THREADS=1",
                   PRIORFIT_BINARY};
    words.insert(words.end(), command.begin(), command.end());
    words.insert(words.end(), {"--samples", samples, "--noise", "0.1", "--threads", "1", "--quiet"});
    return run_program(words);
  };
  const Words grid = {"recommend", table, "--weight-variances", "2", "--bias-variances", "0"};
  for (const Words& command :
       {grid, Words{"recommend", table, "--criterion", "evidence", "--activation", "tanh", "--depth", "2"},
        Words{"predict", table, "--weight-variance", "2", "--test-fraction", "0.0001"}}) {
    const Outcome outcome = limited(command, "7900");
    EXPECT_EQ(outcome.code, 6) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(" bytes) and "));
    EXPECT_THAT(outcome.err, HasSubstr("use --samples "));
  }
  // What is named fits, through the whole of the search.
  const Words maximum = {"recommend", table, "--criterion", "evidence"};
  for (const Words& command : {grid, maximum}) {
    const Outcome outcome = limited(command, "8000");
    const auto at = outcome.err.find("use --samples ");
    ASSERT_NE(at, std::string::npos) << outcome.err;
    const int largest = std::atoi(outcome.err.c_str() + at + 14);
    EXPECT_GT(largest, 1'000);
    EXPECT_LT(largest, 7'500);
    const Outcome fits = limited(command, std::to_string(largest));
    EXPECT_EQ(fits.code, 0) << fits.err;
  }
}

TEST(MemoryShort, IsToldWithARemedyThatTheCommandHas) {
  const Scratch scratch;
  const Outcome outcome = run_program({"sh", "-c", "ulimit -v 4000000; exec \"$@\"", "sh", PRIORFIT_BINARY, "init",
                                       "--layers", "4,40000,40000", "--out", scratch.path("w.npz")});
  EXPECT_EQ(outcome.code, 6) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("not enough memory"), testing::Not(HasSubstr("--samples"))));
}

// Hours of work on the smaller sizes are not to end with this.
TEST(MemoryUpFront, OfAnExperimentIsThatOfItsLargestSize) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", long_table(10'000));
  const auto limited = [&](const std::string& sizes, const Words& more) {
    Words words = {"sh",
                   "-c",
                   "ulimit -v 450000; exec \"$@\"",
                   "sh",
                   "env",
                   "OMP_NUM_THREADS=1",
                   PRIORFIT_BINARY,
                   "experiment",
                   "--data",
                   table,
                   "--width",
                   "4",
                   "--epochs",
                   "1",
                   "--batch",
                   "1000",
                   "--weight-variances",
                   "2",
                   "--bias-variances",
                   "0",
                   "--threads",
                   "1",
                   "--out",
                   scratch.path("e"),
                   "--sizes",
                   sizes};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  for (const Words& more : {Words{}, {"--noise", "fit"}, {"--trained-risk"}}) {
    const Outcome refused = limited("100,7900", more);
    EXPECT_EQ(refused.code, 6) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(" of 7900 samples needs "));
    EXPECT_FALSE(std::filesystem::exists(scratch.path("e/experiment.sqlite")));
    const auto at = refused.err.find("use --sizes ");
    ASSERT_NE(at, std::string::npos) << refused.err;
    const int largest = std::atoi(refused.err.c_str() + at + 12);
    EXPECT_GT(largest, 1'000);
    const Outcome fits = limited("100," + std::to_string(largest), more);
    EXPECT_EQ(fits.code, 0) << fits.err;
    std::filesystem::remove_all(scratch.path("e"));
  }
}

TEST(MemoryUpFront, OfAKernelIsComparedToo) {
  const Scratch scratch;
  const std::string table = scratch.file("t.csv", long_table(8'000));
  const Outcome outcome =
      run_program({"sh", "-c", "ulimit -v 400000; exec \"$@\"", "sh", "env", "OMP_NUM_THREADS=1", PRIORFIT_BINARY,
                   "kernel", table, "--out", scratch.path("k.npy"), "--samples", "8000"});
  EXPECT_EQ(outcome.code, 6) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the kernel of 8000 samples needs 1.28 GB"));
  EXPECT_THAT(outcome.err, HasSubstr("use --samples "));
}

// MNIST's 47 MB of bytes become 376 MB of numbers, of which a sample may take another third.
TEST(MemoryUpFront, OfPicturesIsComparedToo) {
  const Scratch scratch;
  constexpr std::size_t pictures = 60'000;
  const std::string count("\0\0\xEA\x60", 4);
  const std::string images = std::string("\0\0\x08\x03", 4) + count + std::string("\0\0\0\x1C\0\0\0\x1C", 8);
  std::string labels = std::string("\0\0\x08\x01", 4) + count;
  for (std::size_t i = 0; i < pictures; ++i) labels += static_cast<char>(i % 10);
  std::filesystem::create_directory(scratch.path("idx"));
  scratch.file("idx/train-labels-idx1-ubyte", labels);
  std::filesystem::resize_file(scratch.file("idx/train-images-idx3-ubyte", images), images.size() + pictures * 784);
  const auto limited = [&](const std::string& kilobytes) {
    return run_program({"sh", "-c", "ulimit -v " + kilobytes + "; exec \"$@\"", "sh", "env", "OMP_NUM_THREADS=1",
                        PRIORFIT_BINARY, "data", scratch.path("idx")});
  };
  const Outcome refused = limited("400000");
  EXPECT_EQ(refused.code, 6) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("60000 rows × 784 columns need 376320000 bytes; "));
  EXPECT_EQ(limited("1000000").code, 0);
}

}  // namespace
}  // namespace priorfit::cli
