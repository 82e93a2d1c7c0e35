// Streams that cannot be written: a lost message changes nothing, a lost result is an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using Words = std::vector<std::string>;

/// priorfit with a redirection of the shell, such as "2>/dev/full".
Outcome redirected(const std::string& redirection, Words words) {
  words.insert(words.begin(), {"sh", "-c", "exec \"$@\" " + redirection, "sh", PRIORFIT_BINARY});
  return run_program(words);
}

std::string table(const Scratch& scratch) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 24; ++i) {
    text += std::to_string(i % 5) + "," + std::to_string(i % 7) + "," + std::to_string(i % 3) + ".5\n";
  }
  return scratch.file("t.csv", text);
}

TEST(Streams, AMessageThatCannotBeWrittenChangesNothing) {
  const Scratch scratch;
  const std::string data = table(scratch);
  for (const Words& words : {Words{"data", data},
                             {"recommend", data, "--grid", "paper", "--format", "csv"},
                             {"predict", data, "--weight-variance", "2", "--noise", "0.1", "--format", "csv"},
                             {"init", "--layers", "2,3,1", "--scheme", "he", "--out", scratch.path("w.safetensors")},
                             {"phase"},
                             {"phase", "--activation", "rleu"},
                             {"data", scratch.path("none.csv")},
                             {"recommend", data, "--no-such-flag"},
                             {"no-such-command"}}) {
    const Outcome heard = priorfit(words);
    EXPECT_LT(heard.code, 128) << words[0];
    for (const std::string redirection : {"2>/dev/full", "2>&-"}) {
      const Outcome unheard = redirected(redirection, words);
      EXPECT_EQ(unheard.code, heard.code) << words[0] << redirection;
      if (words[0] != "predict") {
        EXPECT_EQ(unheard.out, heard.out) << words[0] << redirection;
      }
    }
  }
}

TEST(Streams, AMessageIntoAClosedPipeChangesNothing) {
  const Scratch scratch;
  const std::string data = table(scratch), out = scratch.path("out");
  const Outcome outcome =
      run_program({"bash", "-c", "exec 3>&1; { sleep 0.2; \"$0\" data \"$1\" 2>&4 >\"$2\"; echo $? >&3; } 4> >(exit 0)",
                   PRIORFIT_BINARY, data, out});
  EXPECT_EQ(outcome.out, "0\n");
  EXPECT_EQ(read_all(out), priorfit({"data", data}).out);
}

TEST(Streams, MessagesNeverGetIntoAResult) {
  const Scratch scratch;
  const Words words = {"kernel", table(scratch), "--out"};
  Words heard = words, unheard = words;
  heard.push_back(scratch.path("heard.npy"));
  unheard.push_back(scratch.path("unheard.npy"));
  ASSERT_EQ(priorfit(heard).code, 0);
  ASSERT_EQ(redirected("<&- 2>&-", unheard).code, 0);
  EXPECT_EQ(read_all(scratch.path("unheard.npy")), read_all(scratch.path("heard.npy")));
}

TEST(Streams, ALostResultIsAnError) {
  const Scratch scratch;
  for (const Words& words : {Words{"--help"},
                             {"--version"},
                             {"recommend", "--help"},
                             {},
                             {"data", table(scratch)},
                             {"complete", "--", "rec"}}) {
    for (const std::string redirection : {">/dev/full", ">&-"}) {
      EXPECT_EQ(redirected(redirection, words).code, 5) << testing::PrintToString(words) << redirection;
    }
  }
}

// The signal that comes with it would leave temporary files behind.
TEST(Streams, AFileBeyondItsLimitIsAnError) {
  const Scratch scratch;
  const Outcome outcome =
      run_program({"sh", "-c", "ulimit -f 4; exec \"$@\"", "sh", PRIORFIT_BINARY, "train", table(scratch), "--width",
                   "200", "--epochs", "1", "--out", scratch.path("run")});
  EXPECT_EQ(outcome.code, 5) << outcome.err;
  EXPECT_THAT(outcome.err, testing::HasSubstr("File too large"));
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path("run"))) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

}  // namespace
}  // namespace priorfit::cli
