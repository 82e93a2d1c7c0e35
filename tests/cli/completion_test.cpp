// What shells offer: asked for directly, and by the shells themselves where they are here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string offered(std::vector<std::string> words) {
  words.insert(words.begin(), {"complete", "--"});
  const Outcome outcome = priorfit(words);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(Completion, OffersCommandsFlagsNamesAndColumns) {
  const Scratch scratch;
  EXPECT_THAT(offered({"rec"}), HasSubstr("recommend\tkeep"));
  EXPECT_THAT(offered({""}), HasSubstr("experiment\t"));
  EXPECT_THAT(offered({""}), Not(HasSubstr("complete\t")));
  EXPECT_THAT(offered({"recommend", "--act"}), HasSubstr("--activation\t"));
  EXPECT_THAT(offered({"recommend", "--act"}), Not(HasSubstr("--width")));
  EXPECT_EQ(offered({"train", "--activation", "si"}), "sin\nsigmoid\nsilu\n");
  EXPECT_EQ(offered({"recommend", "di"}), "digits\n:files\n");
  EXPECT_EQ(offered({"predict", "--from", ""}), ":files\n");
  EXPECT_EQ(offered({"recommend", "--criterion", "tr"}), "trained-risk\n");
  const std::string table = scratch.file("t.csv", "age,city,\"price, net\",x\n1,2,3,4\n5,6,7,8\n");
  EXPECT_EQ(offered({"recommend", table, "--target", ""}), "age\ncity\nprice, net\nx\n");
  EXPECT_EQ(offered({"recommend", "--depth", "2", table, "--ignore", "c"}), "city\n");
  EXPECT_EQ(offered({"recommend", table, "--ignore", "age,c"}), "age,city\n");
  EXPECT_EQ(offered({"data", table, "--format", ""}), "table\njson\nmarkdown\n");
  EXPECT_EQ(offered({"nonsense", "--x", ""}), "");
  EXPECT_EQ(offered({"recommend", scratch.path("none.csv"), "--target", ""}), "");
}

bool is_here(const std::string& program) { return std::system((program + " -c true >/dev/null 2>&1").c_str()) == 0; }

std::string said(const std::string& shell, const std::string& script) {
  return run_program({"env", "PATH=" + std::filesystem::path(PRIORFIT_BINARY).parent_path().string() + ":/usr/bin:/bin",
                      shell, "-c", script})
      .out;
}

TEST(Completion, WorksInBash) {
  const std::string script =
      "source <(priorfit completion bash); COMP_WORDS=(priorfit recommend --activ); COMP_CWORD=2; _priorfit; "
      "echo \"${COMPREPLY[@]}\"; COMP_WORDS=(priorfit train --loss ''); COMP_CWORD=3; _priorfit; "
      "echo \"${COMPREPLY[@]}\"";
  EXPECT_EQ(said("bash", script), "--activation\nsquared cross-entropy\n");
}

TEST(Completion, WorksInFish) {
  if (!is_here("fish")) GTEST_SKIP() << "no fish here";
  const std::string script =
      "priorfit completion fish | source; complete -C 'priorfit recommend --activ'; "
      "complete -C 'priorfit train --loss '";
  const std::string found = said("fish", script);
  EXPECT_THAT(found, HasSubstr("--activation"));
  EXPECT_THAT(found, HasSubstr("cross-entropy"));
}

TEST(Completion, IsReadByZsh) {
  if (!is_here("zsh")) GTEST_SKIP() << "no zsh here";
  // _describe is the part of zsh that needs a terminal.
  const std::string script =
      "compdef() { :; }; _describe() { print -l $found; }; _files() { print FILES; }; "
      "source <(priorfit completion zsh); words=(priorfit train --loss ''); CURRENT=4; _priorfit; "
      "words=(priorfit recommend dig); CURRENT=3; _priorfit";
  EXPECT_EQ(said("zsh", script), "squared\ncross-entropy\ndigits\nFILES\n");
}

}  // namespace
}  // namespace priorfit::cli
