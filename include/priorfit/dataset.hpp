// Data sets: read, describe, choose rows, preprocess.
//
//     Dataset digits = load_dataset({.source = "digits"});
//     PreparedData data = prepare(std::move(digits), {.samples = 1000, .seed = 1});
//     // data.train.inputs: 1000 × 64 doubles; data.train.targets: 1000 × 10, classes encoded as in M6
//     // data.preparation: how a row of the source became those 64 numbers; see preparation.hpp
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/matrix.hpp"
#include "priorfit/preparation.hpp"

namespace priorfit {

struct Samples {
  Matrix inputs;   // rows × features
  Matrix targets;  // rows × outputs: classes encoded as 1 - 1/C and -1/C (M6), or regression values; the classes
                   // of a Dataset are encoded by prepare(), and may have no columns before
  std::vector<int> labels;  // rows, each in [0, outputs); empty for regression

  Index size() const { return inputs.rows(); }
};

/// A column of a text table, as it was understood.
struct Column {
  std::string name;  // "column 3" without a header
  ColumnKind kind = ColumnKind::number;
  Index position = 0;               // in the file, from 1
  Index missing = 0;                // rows without a value
  Index distinct = 0;               // values; 0 when they were not counted
  std::vector<std::string> levels;  // category: all of them, most frequent first; boolean: what stands for 0 and for 1
  DateOrder date_order = DateOrder::year_first;
  bool dressed = false;  // numbers with currency or percent signs, or digits in groups
  Index input = -1;      // its place in Samples::inputs; -1 when it is left out, and for the target
  bool is_target = false;
  std::string why;  // a column that is left out: the reason, in a few words
};

struct Dataset {
  std::string name;
  Task task = Task::regression;
  std::vector<std::string> feature_names;  // empty when the source names none
  std::vector<std::string> output_names;   // class names in label order, or target columns
  double pixel_maximum = 0.0;              // > 0 for images: the value of full intensity
  PictureShape pictures;                   // of a folder of PNG and JPEG pictures; else zeros
  bool is_table = false;                   // read from a text table: standardized unless asked otherwise
  // Of a text table. Inputs then hold one column for each that is used: numbers; 0 and 1; places in `levels`; days
  // since 1970. What is missing is NaN. prepare() makes features of them. Empty: inputs are features already.
  std::vector<Column> columns;
  std::optional<TableDialect> dialect;
  MissingRule missing = MissingRule::median;
  std::string target_name;
  Samples train;
  Samples test;                    // no rows when the source has no test split
  std::vector<std::string> notes;  // decisions made while reading that shape the answer
};

/// A column of a table as a person reads of it.
struct ColumnLine {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  Index missing = 0;
  Index distinct = 0;               // values; 0 when there are too many to count
  std::vector<std::string> levels;  // of a category or boolean: the most frequent, at most 20
  std::string becomes;              // "3 features, one per level"
};

/// How to read a text table, where its own look is not to decide. Columns are given by name or by 1-based number.
struct TableOptions {
  std::vector<std::string> ignore = {};       // columns to leave out
  std::vector<std::string> only = {};         // columns to use, and no others; empty: all
  std::vector<std::string> categorical = {};  // columns of names, even where they look like numbers
  std::vector<std::string> numeric = {};      // columns of numbers, kept even where they look like an index
  MissingRule missing = MissingRule::median;
  std::optional<char> decimal = {};    // '.' or ','
  std::optional<char> separator = {};  // ' ' stands for any run of blanks
  bool no_header = false;              // the first line is a row
  bool header = false;                 // the first line holds names, whatever they look like; not with no_header
};

struct LoadOptions {
  std::string source = {};                 // file, folder, or a name: digits, mnist, fashion-mnist, cifar10
  std::string targets = {};                // file of targets for an .npy source
  std::string target_column = {};          // table: name or 1-based number; empty: the last column
  std::optional<Task> task = {};           // empty: decided from the targets and noted
  std::filesystem::path data_folder = {};  // where names are looked up; empty: default_data_folder()
  TableOptions table = {};
  PictureShape pictures = {};            // folder of pictures: the size to bring them to; zeros: found and noted
  std::vector<std::string> arrays = {};  // .npz: names of inputs and targets and, for a test split, of both again
};

/// Makes the rows of another file the test split of a data set that has none. Features must agree in number and, where
/// named, in name; classes are matched by name. Throws Error(data) naming the difference, Error(usage) when there is a
/// test split already.
void use_as_test(Dataset& dataset, const Dataset& test);

/// Reads another file the way `training` was read: the same columns with the same meaning, whatever this file would
/// have looked like by itself. In a text table columns are found by name, or by number where there is no header; a
/// column that is not there counts as missing, and a note says so.
Dataset load_like(const Dataset& training, const LoadOptions& options);

/// $PRIORFIT_DATA, else priorfit/ in the XDG data home.
std::filesystem::path default_data_folder();

struct KnownDataset {
  std::string name;
  std::string summary;
  std::filesystem::path folder;  // where it is looked for; empty for one that is part of the library
  bool present = false;
};

/// The names that LoadOptions::source can take, and whether each is here.
std::vector<KnownDataset> known_datasets(const std::filesystem::path& data_folder = {});

/// Throws Error(data) naming file, line, column and value; Error(io) when the source is not there or cannot be read;
/// Error(usage) when an option does not fit the source, such as a target column that it does not have.
Dataset load_dataset(const LoadOptions& options);

/// A text table that is at hand, understood as load_dataset() understands a file. `options.source` names it in
/// messages.
Dataset load_table_text(std::string_view text, const LoadOptions& options);

/// Arrays that are at hand, understood as load_dataset() understands .npy files.
struct ArrayData {
  std::string name = "X";  // in messages, as is the next
  std::string target_name = "y";
  Matrix inputs;                        // samples × features
  bool bytes = false;                   // inputs were bytes: pictures, where they reach 255 or `more_dimensions`
  bool more_dimensions = false;         // than two, before they were made rows
  Matrix targets = {};                  // samples × outputs
  bool whole_numbers = false;           // targets were integers by type
  std::vector<std::string> names = {};  // samples: classes by name, instead of `targets`
};
Dataset make_dataset(ArrayData arrays, std::optional<Task> task = {});

Task parse_task(std::string_view name);              // throws Error(usage) with the nearest match
Preprocess parse_preprocess(std::string_view name);  // throws Error(usage) with the nearest match

struct PrepareOptions {
  Index samples = 0;                          // training rows to draw without replacement; 0: all
  std::uint64_t seed = 1;                     // of the draw
  std::optional<Preprocess> preprocess = {};  // empty: unit for images, standardize for tables, none otherwise
  double test_fraction = 0.0;                 // in [0, 1): held out by `seed` when the source has no test split
  bool raw_targets = false;                   // numbers to be predicted as they are, for one who prepares them again
};

/// What a computation reads: the chosen rows, preprocessed, with everything needed to say how.
struct PreparedData {
  std::string name;
  Task task = Task::regression;
  Index rows = 0;  // training rows before drawing
  std::uint64_t seed = 1;
  Preprocess preprocess = Preprocess::none;
  std::vector<std::string> output_names;
  Samples train;
  Samples test;
  std::vector<ColumnLine> columns;  // of a table
  std::string dialect;              // of a table: how it is written
  Preparation preparation;          // how a row of the source became a row of inputs and targets
  Vector target_shift;              // outputs; original target = shift + scale * target
  Vector target_scale;
  std::vector<std::string> notes;

  Index features() const { return train.inputs.cols(); }
  Index outputs() const { return train.targets.cols(); }
};

/// Statistics come from the chosen training rows only. The first k rows drawn by a seed do not depend on how many
/// are drawn, so samples of growing size are nested. Throws Error(usage) when samples exceeds the rows there are,
/// Error(data) when the chosen rows hold one class or a constant target.
PreparedData prepare(Dataset dataset, const PrepareOptions& options);

/// The rows that prepare() draws by this seed, out of data prepared from all of them, with the statistics fitted to the
/// rows drawn: the same numbers, up to rounding, as preparing them from the source, in training and test rows alike.
/// 0 samples, or as many as there are: all rows, in their order. Errors as prepare().
PreparedData draw_rows(const PreparedData& data, Index samples, std::uint64_t seed);

/// What the answer is about, as every command reports it.
struct DataSummary {
  std::string name;
  Index rows = 0;  // there were
  Index features = 0;
  Index outputs = 0;
  Index samples = 0;  // of them were used
  Task task = Task::regression;
  Preprocess preprocess = Preprocess::none;
  std::uint64_t seed = 0;
  std::vector<std::string> notes;
  std::vector<ColumnLine> columns;  // of a table
  std::string dialect;              // of a table
  Preparation preparation;
};

DataSummary summarize(const PreparedData& data);

/// rows × classes: 1 - 1/C for the right class and -1/C for the others (M6).
Matrix encode_labels(const std::vector<int>& labels, Index classes);

/// What a person wants to know of a data set before using it.
struct DatasetDescription {
  std::string name;
  Task task = Task::regression;
  Index rows = 0;
  Index test_rows = 0;
  Index features = 0;
  Index constant_features = 0;
  double pixel_maximum = 0.0;  // > 0 for images
  double input_minimum = 0.0;  // over the training rows, as are all below
  double input_maximum = 0.0;
  double nonzero_fraction = 0.0;

  struct Output {
    std::string name;
    Index count = 0;       // rows of the class; 0 for regression
    double minimum = 0.0;  // of a regression target, as are mean and standard deviation
    double maximum = 0.0;
    double mean = 0.0;
    double standard_deviation = 0.0;
  };
  std::vector<Output> outputs;
  std::vector<std::string> notes;

  std::vector<ColumnLine> columns;  // of a text table
  std::string dialect;              // of a text table: "separator ',', quote '\"', decimal mark '.', no header"
};

DatasetDescription describe(const Dataset& dataset);

std::string to_table(const DatasetDescription& description);
std::string to_markdown(const DatasetDescription& description);
std::string to_json(const DatasetDescription& description);  // schema priorfit.dataset/1
std::string to_table(const std::vector<KnownDataset>& known);
std::string to_markdown(const std::vector<KnownDataset>& known);
std::string to_json(const std::vector<KnownDataset>& known);  // schema priorfit.datasets/1

}  // namespace priorfit
