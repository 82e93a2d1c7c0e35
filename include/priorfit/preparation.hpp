// How a row of a table becomes the numbers a network sees: a recipe that travels with every result.
//
//     PreparedData data = prepare(load_dataset({.source = "houses.csv"}), {});
//     std::string recipe = to_json(data.preparation);
//     ...
//     Preparation again = read_preparation("result/recommendation.json");
//     PreparedRows rows = apply(again, {.source = "new-houses.csv"});   // rows.inputs: what the network expects
//
// Levels, fills and indicators are fitted to the training rows before any are drawn, so that samples of every size have
// the same features; shifts and scales to the rows that were used. Test rows take no part in either.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "priorfit/matrix.hpp"

namespace priorfit {

enum class Task { classification, regression };

enum class Preprocess {
  unit,         // images: divided by pixel_maximum; otherwise each feature mapped to [0, 1] by its training range
  standardize,  // each feature to mean 0 and variance 1 over the training rows
  center,       // each feature to mean 0
  none,
};  // of the inputs; regression targets are always brought to mean 0 and variance 1

enum class ColumnKind { number, boolean, category, date, text, identifier, index, constant };

/// What becomes of a missing number (a boolean and a date count as one). A missing category is a level of its own,
/// unless rows are dropped or refused.
enum class MissingRule {
  median,  // of the training rows, and one more feature that is 1 where the value was missing
  mean,    // likewise
  drop,    // rows that miss a value are left out
  error,   // refused
};

enum class DateOrder { year_first, day_first, month_first };

/// The size that pictures of a folder were brought to.
struct PictureShape {
  Index width = 0, height = 0;
  Index channels = 0;  // 1: grey; 3: red, green and blue, one plane behind the other

  Index values() const { return width * height * channels; }
  bool operator==(const PictureShape&) const = default;
};

std::string_view to_string(Task task);
std::string_view to_string(Preprocess preprocess);
std::string_view to_string(ColumnKind kind);
std::string_view to_string(MissingRule rule);
std::string_view to_string(DateOrder order);
MissingRule parse_missing(std::string_view name);  // throws Error(usage) with the nearest match

/// How a text table is written.
struct TableDialect {
  char separator = ',';  // ' ' stands for any run of blanks
  char quote = '"';      // or '\''
  char decimal = '.';    // or ','
  bool header = false;
  std::string missing;  // the mark that stands for missing values most often; empty when the field is
};

/// "separator ',', quote '\"', decimal mark '.', no header, missing '?'"
std::string to_text(const TableDialect& dialect);

/// One column of the source and the features that it becomes, in this order: the value, or one feature per level and
/// then `other` and `missing`; for a date year, month, weekday (0 for Monday) and days since 1970-01-01; then the
/// indicator.
struct ColumnRecipe {
  std::string name;
  Index position = 0;  // in the source, from 1
  ColumnKind kind = ColumnKind::number;
  std::vector<std::string> levels;  // category: one feature each; boolean: what stands for 0 and for 1
  bool other = false;               // category: a feature for rare and unseen levels; without it they are all zeros
  bool missing_level = false;       // category: a feature for missing values; without it they are all zeros
  double fill = 0.0;                // for missing numbers
  bool indicator = false;           // a feature that is 1 where a number was missing
  bool dressed = false;             // numbers with currency or percent signs, or digits in groups
  DateOrder date_order = DateOrder::year_first;

  Index features() const;
  std::vector<std::string> feature_names() const;
};

struct Preparation {
  Task task = Task::regression;
  bool from_table = false;            // false: features are those of the source, as they are
  bool header = false;                // columns have names; without, they are found by position
  TableDialect dialect;               // how the table is written
  std::vector<ColumnRecipe> columns;  // of a table
  std::string target;                 // its name in the source
  Index target_position = 0;          // of a table, from 1
  bool target_is_date = false;        // regression of days since 1970-01-01
  std::vector<std::string> outputs;   // class names in label order, or target columns
  Preprocess preprocess = Preprocess::none;
  double pixel_maximum = 0.0;  // > 0 for images: with `unit`, what inputs are divided by
  PictureShape pictures;       // of a folder of PNG and JPEG pictures; else zeros
  Vector input_shift;          // features: (value - shift) / scale; empty: nothing is shifted or scaled
  Vector input_scale;
  Vector target_shift;  // outputs, likewise
  Vector target_scale;
  Index rows = 0;  // that shifts and scales were fitted to

  std::vector<std::string> feature_names() const;  // of a table
};

std::string to_json(const Preparation& preparation);  // schema priorfit.preparation/1

/// From a file that holds one, by itself or inside a result (under "preparation", or "data" and "preparation"), or from
/// a result folder. Throws Error(io) when there is no such file, Error(data) when it holds none.
Preparation read_preparation(const std::filesystem::path& path);
/// The file of a result folder that holds it; `path` itself when it is no folder.
std::filesystem::path preparation_file(const std::filesystem::path& path);

/// The recipe as lines of Python that make `X`, what the network sees, of a pandas DataFrame `table` or, where the
/// source was no table, of an array `X`. Where shifts and scales are too many to write down they are read from `file`.
std::string paste_preparation(const Preparation& preparation, const std::string& file = "recommendation.json");

struct LoadOptions;

/// What a recipe makes of a source.
struct PreparedRows {
  Matrix inputs;                      // rows × features
  Matrix targets;                     // rows × outputs as prepare() has them; no rows when the source has no target
  std::vector<int> labels;            // of classification; -1 for a class that the recipe does not know
  std::vector<std::string> features;  // names; empty where the source has none
  std::vector<std::string> notes;     // unseen levels, missing columns, values that could not be read: counted
};

PreparedRows apply(const Preparation& preparation, const LoadOptions& options);

}  // namespace priorfit
