#include "experiment/specification.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <optional>

#include "experiment/toml.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"
#include "support/text.hpp"

namespace priorfit {
using namespace internal;
namespace internal {
namespace {

using Specification = ExperimentSpecification;

constexpr std::uint64_t file_limit = std::uint64_t{256} << 10;  // a value takes some hundred bytes once read

/// One value of the file, with its place for messages.
class Value {
 public:
  Value(const TomlValue& value, std::string place) : value_(value), place_(std::move(place)) {}

  bool is_text() const { return std::holds_alternative<std::string>(value_.content); }
  double number() const {
    if (const auto whole = as<std::int64_t>()) return static_cast<double>(*whole);
    return checked(as<double>(), "a number") + 0.0;  // -0 is written as a whole number would be, and read as 0
  }
  std::int64_t integer() const { return checked(as<std::int64_t>(), "a whole number"); }
  /// A count or a seed: at least 0.
  std::int64_t whole() const {
    const std::int64_t found = integer();
    return checked(found >= 0 ? std::optional(found) : std::nullopt, "at least 0");
  }
  std::string text() const { return checked(as<std::string>(), "text in quotes"); }
  bool yes_or_no() const {
    if (text() != "yes" && text() != "no") fail("\"yes\" or \"no\"");
    return text() == "yes";
  }
  std::vector<double> numbers() const { return list<double>(&Value::number, "a list of numbers"); }
  std::vector<std::string> texts() const { return list<std::string>(&Value::text, "a list of texts in quotes"); }
  std::vector<Index> integers() const { return list<Index>(&Value::integer, "a list of whole numbers"); }
  std::vector<Index> some_integers() const {
    const std::vector<Index> values = integers();
    if (values.empty()) fail("a list with at least one whole number");
    return values;
  }

 private:
  [[noreturn]] void fail(const char* wanted) const {
    throw Error(ErrorKind::data, fmt::format("{} must be {}", place_, wanted));
  }
  template <typename T>
  T checked(std::optional<T> value, const char* wanted) const {
    if (!value) fail(wanted);
    return *value;
  }
  template <typename T, typename Read>
  std::vector<T> list(Read read, const char* wanted) const {
    const auto* list = std::get_if<std::vector<TomlValue>>(&value_.content);
    if (list == nullptr) fail(wanted);
    std::vector<T> values;
    for (const TomlValue& element : *list) values.push_back((Value(element, place_).*read)());
    return values;
  }
  template <typename T>
  std::optional<T> as() const {
    const T* content = std::get_if<T>(&value_.content);
    return content ? std::optional(*content) : std::nullopt;
  }

  const TomlValue& value_;
  std::string place_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <typename T>
std::string list_text(const std::vector<T>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

struct Field {
  const char* key;                                         // with its section
  std::function<std::string(const Specification&)> write;  // empty: read only
  std::function<void(Specification&, const Value&)> read;
};

NetworkSpec reshaped(const NetworkSpec& network, Index depth, Index width) {
  return NetworkSpec::uniform(depth, width, network.activation);
}

/// Two zeros where training is not stopped.
TrainingTime stopping_time(const Specification& s) { return s.prediction.time.value_or(TrainingTime{}); }

void set_stopping_time(Specification& s, const TrainingTime& time) {
  const bool never = time.steps == 0 && time.learning_rate == 0;
  s.prediction.time = never ? std::nullopt : std::optional(time);
}

const std::vector<Field>& fields() {
  using S = Specification;
  static const std::vector<Field> list = {
      {"data.source", [](const S& s) { return quoted(s.data.source); },
       [](S& s, const Value& v) { s.data.source = v.text(); }},
      {"data.targets", [](const S& s) { return quoted(s.data.targets); },
       [](S& s, const Value& v) { s.data.targets = v.text(); }},
      {"data.target", [](const S& s) { return quoted(s.data.target_column); },
       [](S& s, const Value& v) { s.data.target_column = v.text(); }},
      {"data.task", [](const S& s) { return quoted(s.data.task ? std::string(to_string(*s.data.task)) : "auto"); },
       [](S& s, const Value& v) {
         s.data.task = v.text() == "auto" ? std::nullopt : std::optional(parse_task(v.text()));
       }},
      {"data.preprocess",
       [](const S& s) { return quoted(s.preprocess ? std::string(to_string(*s.preprocess)) : "auto"); },
       [](S& s, const Value& v) {
         s.preprocess = v.text() == "auto" ? std::nullopt : std::optional(parse_preprocess(v.text()));
       }},
      {"data.test_data", [](const S& s) { return quoted(s.test); }, [](S& s, const Value& v) { s.test = v.text(); }},
      {"data.test_fraction", [](const S& s) { return fmt::format("{}", s.test_fraction); },
       [](S& s, const Value& v) { s.test_fraction = v.number(); }},
      {"network.widths", [](const S& s) { return list_text(s.network.hidden_widths); },
       [](S& s, const Value& v) { s.network.hidden_widths = v.some_integers(); }},
      {"network.depth",
       {},
       [](S& s, const Value& v) { s.network = reshaped(s.network, v.integer(), s.network.hidden_widths.front()); }},
      {"network.width",
       {},
       [](S& s, const Value& v) { s.network = reshaped(s.network, s.network.depth(), v.integer()); }},
      {"network.activation", [](const S& s) { return quoted(s.network.activation.name()); },
       [](S& s, const Value& v) { s.network.activation = Activation::parse(v.text()); }},
      {"grid.weight_variances", [](const S& s) { return list_text(s.weight_variances); },
       [](S& s, const Value& v) { s.weight_variances = v.numbers(); }},
      {"grid.bias_variances", [](const S& s) { return list_text(s.bias_variances); },
       [](S& s, const Value& v) { s.bias_variances = v.numbers(); }},
      {"grid.output_weight_variances", [](const S& s) { return list_text(s.output_weight_variances); },
       [](S& s, const Value& v) { s.output_weight_variances = v.numbers(); }},
      {"grid.schemes",
       [](const S& s) {
         std::vector<std::string> names;
         for (const InitialScheme scheme : s.schemes) names.push_back(quoted(std::string(to_string(scheme))));
         return list_text(names);
       },
       [](S& s, const Value& v) {
         s.schemes.clear();
         for (const std::string& name : v.texts()) s.schemes.push_back(parse_initial_scheme(name));
       }},
      {"grid.noise_variance",
       [](const S& s) { return s.noise_variance ? fmt::format("{}", *s.noise_variance) : quoted("fit"); },
       [](S& s, const Value& v) {
         s.noise_variance = v.is_text() && v.text() == "fit" ? std::nullopt : std::optional(v.number());
       }},
      {"training.sizes", [](const S& s) { return list_text(s.sizes); },
       [](S& s, const Value& v) { s.sizes = v.integers(); }},
      {"training.seeds", [](const S& s) { return fmt::format("{}", s.seeds); },
       [](S& s, const Value& v) { s.seeds = v.integer(); }},
      {"training.seed", [](const S& s) { return fmt::format("{}", s.seed); },
       [](S& s, const Value& v) { s.seed = static_cast<std::uint64_t>(v.whole()); }},
      {"training.epochs", [](const S& s) { return fmt::format("{}", s.training.epochs); },
       [](S& s, const Value& v) { s.training.epochs = v.integer(); }},
      {"training.batch", [](const S& s) { return fmt::format("{}", s.training.batch); },
       [](S& s, const Value& v) { s.training.batch = v.integer(); }},
      {"training.learning_rate",
       [](const S& s) {
         return s.training.learning_rate.base ? fmt::format("{}", *s.training.learning_rate.base) : quoted("auto");
       },
       [](S& s, const Value& v) {
         if (v.is_text() && v.text() == "auto") return s.training.learning_rate.base.reset();
         s.training.learning_rate.base = v.number();
       }},
      {"training.evaluate_every", [](const S& s) { return fmt::format("{}", s.training.evaluate_every); },
       [](S& s, const Value& v) { s.training.evaluate_every = v.whole(); }},
      {"training.loss",
       [](const S& s) { return quoted(s.training.loss ? std::string(to_string(*s.training.loss)) : "auto"); },
       [](S& s, const Value& v) {
         s.training.loss = v.text() == "auto" ? std::nullopt : std::optional(parse_loss(v.text()));
       }},
      {"training.label_smoothing", [](const S& s) { return fmt::format("{}", s.training.label_smoothing); },
       [](S& s, const Value& v) { s.training.label_smoothing = v.number(); }},
      {"training.optimizer", [](const S& s) { return quoted(std::string(to_string(s.training.optimizer.kind))); },
       [](S& s, const Value& v) { s.training.optimizer.kind = parse_optimizer_kind(v.text()); }},
      {"training.weight_decay", [](const S& s) { return fmt::format("{}", s.training.optimizer.weight_decay); },
       [](S& s, const Value& v) { s.training.optimizer.weight_decay = v.number(); }},
      {"training.momentum", [](const S& s) { return fmt::format("{}", s.training.optimizer.momentum); },
       [](S& s, const Value& v) { s.training.optimizer.momentum = v.number(); }},
      {"training.nesterov", [](const S& s) { return quoted(s.training.optimizer.nesterov ? "yes" : "no"); },
       [](S& s, const Value& v) { s.training.optimizer.nesterov = v.yes_or_no(); }},
      {"training.learning_rate_decay",
       [](const S& s) { return quoted(std::string(to_string(s.training.learning_rate.decay))); },
       [](S& s, const Value& v) { s.training.learning_rate.decay = parse_decay(v.text()); }},
      {"training.warmup_epochs", [](const S& s) { return fmt::format("{}", s.training.learning_rate.warmup_epochs); },
       [](S& s, const Value& v) { s.training.learning_rate.warmup_epochs = v.whole(); }},
      {"training.validation_fraction", [](const S& s) { return fmt::format("{}", s.training.validation_fraction); },
       [](S& s, const Value& v) { s.training.validation_fraction = v.number(); }},
      {"training.patience", [](const S& s) { return fmt::format("{}", s.training.patience); },
       [](S& s, const Value& v) { s.training.patience = v.whole(); }},
      {"prediction.optimizer", [](const S& s) { return quoted(std::string(to_string(s.prediction.optimizer))); },
       [](S& s, const Value& v) { s.prediction.optimizer = parse_optimizer(v.text()); }},
      {"prediction.ridge", [](const S& s) { return fmt::format("{}", s.prediction.ridge); },
       [](S& s, const Value& v) { s.prediction.ridge = v.number(); }},
      {"prediction.steps", [](const S& s) { return fmt::format("{}", stopping_time(s).steps); },
       [](S& s, const Value& v) {
         set_stopping_time(s, {v.number(), stopping_time(s).learning_rate});
       }},
      {"prediction.learning_rate", [](const S& s) { return fmt::format("{}", stopping_time(s).learning_rate); },
       [](S& s, const Value& v) {
         set_stopping_time(s, {stopping_time(s).steps, v.number()});
       }},
  };
  return list;
}

void read_field(Specification& specification, const TomlEntry& entry, const std::string& name) {
  const std::string& key = entry.key;
  const std::string place = fmt::format("{}, line {}: {}", name, entry.line, key);
  std::vector<std::string> known;
  for (const Field& field : fields()) {
    known.emplace_back(field.key);
    if (key != field.key) continue;
    try {
      return field.read(specification, Value(entry.value, place));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::data) throw;
      throw Error(ErrorKind::data, fmt::format("{}: {}", place, error.what()));
    }
  }
  throw Error(ErrorKind::data, fmt::format("{} is unknown{}", place, suggestion(key, known)));
}

}  // namespace

ExperimentSpecification unnamed_values() {
  ExperimentSpecification specification;
  specification.training.loss = Loss::squared;
  return specification;
}

Entries specification_entries(const ExperimentSpecification& specification) {
  Entries entries;
  for (const Field& field : fields()) {
    if (field.write) entries.emplace_back(field.key, field.write(specification));
  }
  return entries;
}

std::string toml_text(const Entries& entries) {
  std::string out, section;
  for (const auto& [key, value] : entries) {
    const std::size_t dot = key.find('.');
    if (key.substr(0, dot) != section) {
      section = key.substr(0, dot);
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section);
    }
    out += fmt::format("{} = {}\n", key.substr(dot + 1), value);
  }
  return out;
}

}  // namespace internal

ExperimentSpecification parse_specification(const std::string& toml, const std::string& name,
                                            const ExperimentSpecification& base) {
  ExperimentSpecification specification = base;
  for (const internal::TomlEntry& entry : internal::parse_toml(toml, name)) {
    if (entry.key.find('.') == std::string::npos) {
      throw Error(ErrorKind::data,
                  fmt::format("{}, line {}: {} stands outside of a section ([data], [network], [grid], "
                              "[training], [prediction])",
                              name, entry.line, entry.key));
    }
    internal::read_field(specification, entry, name);
  }
  return specification;
}

ExperimentSpecification read_specification(const std::filesystem::path& path, const ExperimentSpecification& base) {
  return parse_specification(read_file(path, internal::file_limit), path.string(), base);
}

std::string to_toml(const ExperimentSpecification& specification) {
  return internal::toml_text(internal::specification_entries(specification));
}

}  // namespace priorfit
