#include <algorithm>

#include "helpers.hpp"
#include "priorfit/dataset.hpp"

namespace priorfit {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::Scratch;

/// Sets or unsets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Digits, AreInTheLibrary) {
  const Dataset digits = load_dataset({.source = "digits"});
  EXPECT_EQ(digits.name, "digits");
  EXPECT_EQ(digits.train.inputs.rows(), 1797);
  EXPECT_EQ(digits.train.inputs.cols(), 64);
  EXPECT_EQ(digits.output_names.size(), 10U);
  EXPECT_EQ(digits.pixel_maximum, 16.0);
  EXPECT_EQ(digits.train.inputs.maxCoeff(), 16.0);
  EXPECT_FALSE(digits.is_table);
  // As scikit-learn's load_digits() has them.
  const std::vector<Index> counts = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  const DatasetDescription description = describe(digits);
  for (std::size_t c = 0; c < 10; ++c) EXPECT_EQ(description.outputs[c].count, counts[c]);
  EXPECT_EQ(digits.train.inputs.sum(), 561718.0);
}

TEST(DataFolder, FollowsTheEnvironment) {
  const Environment home("HOME", "/home/someone");
  {
    const Environment data("PRIORFIT_DATA", "/data");
    EXPECT_EQ(default_data_folder(), "/data");
  }
  const Environment data("PRIORFIT_DATA", nullptr);
  {
    const Environment xdg("XDG_DATA_HOME", "/xdg");
    EXPECT_EQ(default_data_folder(), "/xdg/priorfit");
  }
  const Environment xdg("XDG_DATA_HOME", nullptr);
  EXPECT_EQ(default_data_folder(), "/home/someone/.local/share/priorfit");
}

TEST(DataFolder, IsNeverInTheCurrentFolder) {
  const Environment home("HOME", nullptr), data("PRIORFIT_DATA", nullptr), xdg("XDG_DATA_HOME", nullptr);
  EXPECT_TRUE(default_data_folder().is_absolute()) << default_data_folder();
  const Environment relative_home("HOME", "here"), relative_xdg("XDG_DATA_HOME", "here");
  EXPECT_TRUE(default_data_folder().is_absolute()) << default_data_folder();
}

TEST(KnownNames, AreFoundInTheDataFolder) {
  const Scratch folder;
  fs::copy(fs::path(PRIORFIT_FIXTURES) / "idx", folder.path() / "mnist");
  const Dataset data = load_dataset({.source = "mnist", .data_folder = folder.path()});
  EXPECT_EQ(data.name, "mnist");
  EXPECT_EQ(data.train.size(), 12);

  const auto known = known_datasets(folder.path());
  ASSERT_EQ(known.size(), 4U);
  for (const KnownDataset& item : known) EXPECT_EQ(item.present, item.name == "digits" || item.name == "mnist");
  EXPECT_EQ(known[1].folder, folder.path() / "mnist");
}

TEST(KnownNames, SayHowToGetWhatIsAbsent) {
  const Scratch folder;
  expect_error(
      ErrorKind::io, [&] { load_dataset({.source = "cifar10", .data_folder = folder.path()}); },
      (folder.path() / "cifar10").string(), "scripts/get-data cifar10");
}

TEST(UnknownSources, SuggestTheNearest) {
  expect_error(
      ErrorKind::io, [] { load_dataset({.source = "mnsit"}); }, "'mnsit'", "did you mean 'mnist'?");
  const Scratch folder;
  folder.file("wine.csv", "1,2\n3,4\n");
  const std::string slip = (folder.path() / "wime.csv").string();
  expect_error(
      ErrorKind::io, [&] { load_dataset({.source = slip}); }, "no file or folder", "wime.csv", "wine.csv");
  expect_error(
      ErrorKind::io, [] { load_dataset({.source = "absent.csv"}); }, "no file or folder 'absent.csv'");
  expect_error(
      ErrorKind::usage, [] { load_dataset({}); }, "no data set");
}

TEST(Options, MustFitTheSource) {
  expect_error(
      ErrorKind::usage, [] { load_dataset({.source = "digits", .target_column = "3"}); }, "target column");
  expect_error(
      ErrorKind::usage, [] { load_dataset({.source = "digits", .targets = "y.npy"}); }, "file of targets");
}

TEST(Describe, CountsAndMeasures) {
  Dataset data;
  data.task = Task::regression;
  data.output_names = {"height"};
  data.train.inputs = (Matrix(4, 3) << 0, 1, 5, 0, 2, 5, 0, 3, 5, 0, -4, 5).finished();
  data.train.targets = (Matrix(4, 1) << 1, 3, 5, 7).finished();
  const DatasetDescription description = describe(data);
  EXPECT_EQ(description.rows, 4);
  EXPECT_EQ(description.features, 3);
  EXPECT_EQ(description.constant_features, 2);
  EXPECT_EQ(description.input_minimum, -4);
  EXPECT_EQ(description.input_maximum, 5);
  EXPECT_DOUBLE_EQ(description.nonzero_fraction, 8.0 / 12.0);
  EXPECT_EQ(description.outputs[0].minimum, 1);
  EXPECT_EQ(description.outputs[0].maximum, 7);
  EXPECT_DOUBLE_EQ(description.outputs[0].mean, 4);
  EXPECT_DOUBLE_EQ(description.outputs[0].standard_deviation, std::sqrt(5.0));
}

}  // namespace
}  // namespace priorfit
