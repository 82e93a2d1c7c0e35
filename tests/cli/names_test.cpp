// Names, numbers and questions as people type them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "process.hpp"

namespace priorfit::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Names, PeopleTypeAreUnderstood) {
  for (const char* name : {"ReLU", "swish", "SiLU", "linear", "leaky-relu:0.2", "LeakyReLU", "Tanh"}) {
    const Outcome outcome = priorfit({"phase", "--activation", name, "--weight-variances", "1", "--bias-variances",
                                      "0.1", "--depth", "1e1", "--quiet"});
    EXPECT_EQ(outcome.code, 0) << name << outcome.err;
  }
  const Scratch scratch;
  for (const char* scheme : {"kaiming", "xavier", "He", "torch", "glorot_uniform"}) {
    const Outcome outcome = priorfit({"init", "--layers", "2,3,1", "--scheme", scheme, "--quiet", "--out",
                                      scratch.path(std::string(scheme) + ".npz")});
    EXPECT_EQ(outcome.code, 0) << scheme << outcome.err;
  }
  const Outcome outcome = priorfit({"train", "digits", "--samples", "1e2", "--width", "1_0", "--epochs", "2.0",
                                    "--optimizer", "SGD", "--loss", "MSE", "--quiet", "--format", "json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"samples\": 100"));
}

TEST(Names, NumbersThatAreNoneAreRefusedInWords) {
  const auto message = [](const char* flag, const char* value) {
    const Outcome outcome = priorfit({"train", "digits", flag, value});
    EXPECT_EQ(outcome.code, 2) << flag << value;
    return outcome.err;
  };
  EXPECT_THAT(message("--seed", "-1"), HasSubstr("--seed is '-1': it must be a whole number, at least 0"));
  EXPECT_THAT(message("--seed", "1e30"), HasSubstr("--seed is '1e30': it must be a whole number"));
  EXPECT_THAT(message("--epochs", "2.5"), HasSubstr("--epochs is '2.5': it must be a whole number"));
  EXPECT_THAT(message("--depth", "three"), HasSubstr("--depth is 'three': it must be a whole number"));
  EXPECT_THAT(message("--optimizer", "sdg"), HasSubstr("did you mean 'sgd'?"));
  EXPECT_THAT(message("--samples", "1e9"), HasSubstr("--samples is 1000000000, but digits has"));
  EXPECT_THAT(message("--learning-rate", "fast"), HasSubstr("--learning-rate is 'fast': it must be a number"));
}

TEST(Messages, HoldNoControlCharactersAndFitAScreen) {
  const Scratch scratch;
  const Outcome name = priorfit({"recommend", "\033[31mred\x07.csv"});
  EXPECT_NE(name.code, 0);
  EXPECT_THAT(name.err, Not(HasSubstr("\033")));
  EXPECT_THAT(name.err, HasSubstr("\\x1b[31mred\\x07.csv"));
  const Outcome lines = priorfit({"recommend", "no\npriorfit: all is well"});
  EXPECT_NE(lines.code, 0);
  EXPECT_THAT(lines.err, Not(HasSubstr("\npriorfit: all is well")));
  std::string header, row;
  for (int i = 0; i < 3000; ++i) {
    header += "a_rather_long_name_of_a_column_" + std::to_string(i) + ",";
    row += "1.5,";
  }
  const std::string wide = scratch.file("wide.csv", header + "y\n" + row + "1\n" + row + "2\n");
  const Outcome column = priorfit({"recommend", wide, "--target", "nothing"});
  EXPECT_NE(column.code, 0);
  EXPECT_LT(column.err.size(), 2000u);
  const Outcome classes = priorfit({"data", scratch.file("c.csv", "a,y\n1,\033[2Jx\n2,z\n3,z\n4,\033[2Jx\n")});
  EXPECT_THAT(classes.out, Not(HasSubstr("\033")));
}

TEST(Messages, OfTheJsonLibraryAreInOurWords) {
  const Scratch scratch;
  for (const char* text : {"{}", "[1,", R"({"schema":"priorfit.recommendation/1"})", "{\"a\":1,}", "[]", "3",
                           R"({"schema":"priorfit.recommendation/1","network":[]})"}) {
    const Outcome outcome = priorfit({"init", "--from", scratch.file("r.json", text), "--out", scratch.path("w.npz")});
    EXPECT_EQ(outcome.code, 3) << text;
    EXPECT_THAT(outcome.err, Not(HasSubstr("json.exception"))) << text;
    EXPECT_THAT(outcome.err, Not(HasSubstr("at()"))) << text;
  }
}

TEST(Help, IsThereInEveryFormPeopleTry) {
  EXPECT_EQ(priorfit({"help"}).out, priorfit({"--help"}).out);
  EXPECT_EQ(priorfit({"help", "train"}).out, priorfit({"train", "--help"}).out);
  const Outcome unknown = priorfit({"help", "trian"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'train'?"));
  const std::string version = priorfit({"--version"}).out;
  EXPECT_EQ(priorfit({"-V"}).out, version);
  for (const char* fact : {"BLAS: OpenBLAS", "instructions: ", "MPI: "}) EXPECT_THAT(version, HasSubstr(fact));
}

TEST(ManPages, NameEveryFlagOfTheHelp) {
  for (const char* command : {"recommend", "init", "train", "predict", "experiment", "kernel", "phase", "simulate",
                              "data", "prepare", "report", "completion"}) {
    const std::string help = priorfit({command, "--help"}).out;
    std::string page = priorfit({"man", command}).out;
    page.erase(std::remove(page.begin(), page.end(), '\\'), page.end());
    EXPECT_THAT(page, HasSubstr(".SH OPTIONS"));
    for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1)) {
      const std::string flag = help.substr(at + 3, help.find_first_of(" \n,", at + 3) - at - 3);
      EXPECT_THAT(page, HasSubstr("fB" + flag + "fR")) << command;
    }
  }
}

}  // namespace
}  // namespace priorfit::cli
