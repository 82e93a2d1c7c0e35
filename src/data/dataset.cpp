#include "priorfit/dataset.hpp"

#include <fmt/format.h>

#include "priorfit/error.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace {

[[noreturn]] void fail_unknown(const char* what, std::string_view name, const std::vector<std::string>& known) {
  throw Error(ErrorKind::usage,
              fmt::format("unknown {} '{}' (known: {}){}", what, name, join(known), suggestion(name, known)));
}

}  // namespace

std::string_view to_string(Task task) { return task == Task::classification ? "classification" : "regression"; }

std::string_view to_string(Preprocess preprocess) {
  switch (preprocess) {
    case Preprocess::unit: return "unit";
    case Preprocess::standardize: return "standardize";
    case Preprocess::center: return "center";
    case Preprocess::none: break;
  }
  return "none";
}

std::string_view to_string(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number: return "number";
    case ColumnKind::boolean: return "boolean";
    case ColumnKind::category: return "category";
    case ColumnKind::date: return "date";
    case ColumnKind::text: return "text";
    case ColumnKind::identifier: return "identifier";
    case ColumnKind::index: return "index";
    case ColumnKind::constant: break;
  }
  return "constant";
}

std::string_view to_string(MissingRule rule) {
  switch (rule) {
    case MissingRule::median: return "median";
    case MissingRule::mean: return "mean";
    case MissingRule::drop: return "drop";
    case MissingRule::error: break;
  }
  return "error";
}

std::string_view to_string(DateOrder order) {
  switch (order) {
    case DateOrder::year_first: return "year-month-day";
    case DateOrder::day_first: return "day-month-year";
    case DateOrder::month_first: break;
  }
  return "month-day-year";
}

std::string to_text(const TableDialect& dialect) {
  const std::string separator = dialect.separator == ' '    ? "blanks"
                                : dialect.separator == '\t' ? "tab"
                                                            : fmt::format("'{}'", dialect.separator);
  return fmt::format("separator {}, quote {}, decimal mark '{}', {}{}", separator, dialect.quote, dialect.decimal,
                     dialect.header ? "header" : "no header",
                     dialect.missing.empty() ? "" : fmt::format(", missing '{}'", dialect.missing));
}

MissingRule parse_missing(std::string_view name) {
  std::vector<std::string> known;
  for (const MissingRule rule : {MissingRule::median, MissingRule::mean, MissingRule::drop, MissingRule::error}) {
    if (to_string(rule) == name) return rule;
    known.emplace_back(to_string(rule));
  }
  fail_unknown("treatment of missing values", name, known);
}

Task parse_task(std::string_view name) {
  for (const Task task : {Task::classification, Task::regression}) {
    if (to_string(task) == name) return task;
  }
  fail_unknown("task", name, {"classification", "regression"});
}

Preprocess parse_preprocess(std::string_view name) {
  std::vector<std::string> known;
  for (const Preprocess value : {Preprocess::unit, Preprocess::standardize, Preprocess::center, Preprocess::none}) {
    if (to_string(value) == name) return value;
    known.emplace_back(to_string(value));
  }
  fail_unknown("preprocessing", name, known);
}

DataSummary summarize(const PreparedData& data) {
  return {.name = data.name,
          .rows = data.rows,
          .features = data.features(),
          .outputs = data.outputs(),
          .samples = data.train.size(),
          .task = data.task,
          .preprocess = data.preprocess,
          .seed = data.seed,
          .notes = data.notes,
          .columns = data.columns,
          .dialect = data.dialect,
          .preparation = data.preparation};
}

Matrix encode_labels(const std::vector<int>& labels, Index classes) {
  const double share = classes > 0 ? 1.0 / static_cast<double>(classes) : 0.0;
  Matrix targets = Matrix::Constant(static_cast<Index>(labels.size()), classes, -share);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= classes) {
      throw Error(ErrorKind::usage, fmt::format("labels[{}] is {}, not in [0, {})", i, labels[i], classes));
    }
    targets(static_cast<Index>(i), labels[i]) = 1.0 - share;
  }
  return targets;
}

}  // namespace priorfit
