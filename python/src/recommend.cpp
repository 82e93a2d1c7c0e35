// recommend(): every keyword is one line of a table; the answer is the library's JSON and text.
#include "priorfit/recommend.hpp"

#include "convert.hpp"
#include "data.hpp"
#include "parts.hpp"
#include "priorfit/error.hpp"
#include "priorfit/recommendation_file.hpp"
#include "priorfit/report.hpp"
#include "run.hpp"
#include "training_keywords.hpp"

namespace priorfit::python {
namespace {

using Numbers = std::vector<double>;

/// What a call asks for; whose lines are shown is said beside the options.
struct Asked {
  RecommendOptions options;
  std::optional<Framework> framework;
  std::optional<Optimizer> risk_optimizer;
};

Bounds bounds_of(nb::handle value) {
  const auto [lower, upper] = nb::cast<std::pair<double, double>>(value);
  return {lower, upper};
}

/// Naming any value of a grid asks for a grid.
GridSearch& grid_of(Asked& asked) {
  auto& search = asked.options.search;
  if (!std::holds_alternative<GridSearch>(search)) search = GridSearch{};
  return std::get<GridSearch>(search);
}

void set_grid(Asked& asked, nb::handle value) {
  if (nb::cast<std::string>(value) != "paper") {
    throw Error(ErrorKind::usage, "grid '" + nb::cast<std::string>(value) +
                                      "' is unknown (paper); for your own values use weight_variances and "
                                      "bias_variances");
  }
  asked.options.search = RecommendOptions::paper_grid().search;
}

void set_criterion(Asked& asked, nb::handle value) {
  const auto name = nb::cast<std::string>(value);
  asked.options.criterion = name == "auto" ? name : find_criterion(name).name;
}

/// A scheme's name, or variances (W, B) or (W, B, OUTPUT).
void set_current(Asked& asked, nb::handle value) {
  CurrentStart current;
  if (nb::isinstance<nb::str>(value)) {
    current.scheme = parse_initial_scheme(nb::cast<std::string>(value));
  } else {
    const auto numbers = nb::cast<Numbers>(value);
    if (numbers.size() != 2 && numbers.size() != 3) {
      throw Error(ErrorKind::usage,
                  "current: give pytorch, keras, he, lecun, glorot, or variances (W, B) or (W, B, "
                  "OUTPUT)");
    }
    current.scheme.reset();
    current.pair = {numbers[0], numbers[1]};
    if (numbers.size() == 3) current.output_weight_variance = numbers[2];
  }
  asked.options.current = current;
}

void set_noise(Asked& asked, nb::handle value) {
  if (nb::isinstance<nb::str>(value)) {
    if (nb::cast<std::string>(value) != "fit") throw Error(ErrorKind::usage, "noise is a number, or 'fit'");
    asked.options.noise.kind = NoiseChoice::Kind::fitted;
  } else {
    asked.options.noise = NoiseChoice::at(nb::cast<double>(value));
  }
}

void set_surface(Asked& asked, nb::handle value) {
  if (auto* search = std::get_if<AutomaticSearch>(&asked.options.search)) search->surface = nb::cast<bool>(value);
}

/// A flag that names a family; one that is not set leaves it as it is.
void set_family(Asked& asked, nb::handle value, FamilyKind family) {
  if (!nb::cast<bool>(value)) return;
  if (asked.options.family != FamilyKind::tied && asked.options.family != family) {
    throw Error(ErrorKind::usage,
                "per_layer gives every layer its own pair, the output included: leave out "
                "untie_output and output_variances");
  }
  asked.options.family = family;
}

void set_output_variances(Asked& asked, nb::handle value) {
  grid_of(asked).output_weight_variances = nb::cast<Numbers>(value);
  set_family(asked, nb::bool_(true), FamilyKind::output);
}

TrainingTime& risk_time(Asked& asked) {
  auto& time = asked.options.risk.time;
  if (!time) time = TrainingTime{};
  return *time;
}

// In the order in which they are applied: `grid` before the values that take its place. Those of training come from
// training_keywords.cpp.
const Keyword<Asked> keywords[] = {
    {"criterion", set_criterion},
    {"also", [](auto& a, nb::handle v) { a.options.also = nb::cast<std::vector<std::string>>(v); }},
    {"current", set_current},
    {"budget", [](auto& a, nb::handle v) { a.options.pilots.budget_seconds = nb::cast<double>(v); }},
    {"pilots", [](auto& a, nb::handle v) { a.options.pilots.count = nb::cast<Index>(v); }},
    {"framework", [](auto& a, nb::handle v) { a.framework = parse_framework(nb::cast<std::string>(v)); }},
    {"family", [](auto& a, nb::handle v) { a.options.family = parse_family(nb::cast<std::string>(v)); }},
    {"per_layer", [](auto& a, nb::handle v) { set_family(a, v, FamilyKind::per_layer); }},
    {"untie_output", [](auto& a, nb::handle v) { set_family(a, v, FamilyKind::output); }},
    {"grid", set_grid},
    {"weight_variances", [](auto& a, nb::handle v) { grid_of(a).weight_variances = nb::cast<Numbers>(v); }},
    {"bias_variances", [](auto& a, nb::handle v) { grid_of(a).bias_variances = nb::cast<Numbers>(v); }},
    {"output_variances", set_output_variances},
    {"leave_one_out",
     [](auto& a, nb::handle v) {
       if (nb::cast<bool>(v)) grid_of(a).leave_one_out = true;
     }},
    {"surface", set_surface},
    {"noise_bounds", [](auto& a, nb::handle v) { a.options.noise.bounds = bounds_of(v); }},
    {"noise", set_noise},
    {"weight_bounds", [](auto& a, nb::handle v) { a.options.weight_bounds = bounds_of(v); }},
    {"bias_bounds", [](auto& a, nb::handle v) { a.options.bias_bounds = bounds_of(v); }},
    {"rows_used_whole", [](auto& a, nb::handle v) { a.options.rows_used_whole = nb::cast<Index>(v); }},
    {"time_limit", [](auto& a, nb::handle v) { a.options.growth.time_limit = nb::cast<double>(v); }},
    {"risk_samples", [](auto& a, nb::handle v) { a.options.risk_samples = nb::cast<Index>(v); }},
    {"ridge", [](auto& a, nb::handle v) { a.options.risk.ridge = nb::cast<double>(v); }},
    {"risk_steps", [](auto& a, nb::handle v) { risk_time(a).steps = nb::cast<double>(v); }},
    {"risk_learning_rate", [](auto& a, nb::handle v) { risk_time(a).learning_rate = nb::cast<double>(v); }},
    {"risk_optimizer", [](auto& a, nb::handle v) { a.risk_optimizer = parse_optimizer(nb::cast<std::string>(v)); }},
};

/// Of training, those that mean something before it: not the seed, which is the data's, nor how often it is tested.
std::vector<std::string> training_names() {
  std::vector<std::string> names = train_keywords();
  std::erase(names, "seed");
  std::erase(names, "evaluate_every");
  return names;
}

Asked asked_for(const nb::dict& values) {
  const std::vector<std::string> of_training = training_names();
  nb::dict training, own;
  for (const auto& [key, value] : values) {
    const bool trains =
        std::find(of_training.begin(), of_training.end(), nb::cast<std::string>(key)) != of_training.end();
    (trains ? training : own)[key] = value;
  }
  Asked asked;
  asked.options.pilots.training = train_options(training);
  apply_keywords(asked, own, keywords);
  RecommendOptions& options = asked.options;
  options.risk.optimizer =
      asked.risk_optimizer.value_or(options.risk.time ? Optimizer::gradient_descent : options.risk.optimizer);
  options.validate();
  return asked;
}

nb::dict recommendation(const Data& data, const Widths& widths, const std::string& activation, const nb::dict& options,
                        int threads, const nb::object& progress) {
  const Asked asked = asked_for(options);
  const NetworkSpec network = network_of(widths, activation);
  struct Texts {
    std::string json, table, details, markdown, csv;
  };
  const Texts texts = run({threads, progress}, [from = data.prepared, network, asked](const RunContext& context) {
    Recommendation answer = recommend(*from, network, asked.options, context);
    answer.framework = asked.framework.value_or(usual_framework(asked.options.current));
    return Texts{to_json(answer), to_table(answer), to_details(answer), to_markdown(answer), to_csv(answer)};
  });
  nb::dict result;
  result["json"] = texts.json;
  result["table"] = texts.table;
  result["details"] = texts.details;
  result["markdown"] = texts.markdown;
  result["csv"] = texts.csv;
  return result;
}

}  // namespace

void add_recommend(nb::module_& m) {
  m.def("recommend", &recommendation, nb::arg("data"), nb::arg("widths"), nb::arg("activation"), nb::arg("options"),
        nb::arg("threads") = 0, nb::arg("progress") = nb::none());
  m.def("recommend_keywords", [] {
    std::vector<std::string> names = names_of(keywords);
    for (std::string& name : training_names()) names.push_back(std::move(name));
    return names;
  });
  m.def(
      "named_start",
      [](const std::string& scheme, const Widths& widths, Index features, Index outputs) {
        const NetworkSpec network{.hidden_widths = widths};
        const Initialisation start = Initialisation::named(parse_initial_scheme(scheme), network, features, outputs);
        Pairs pairs;
        for (const LayerPrior& prior : start.layers) pairs.emplace_back(prior.weight_variance, prior.bias_variance);
        return std::pair(pairs, std::string(to_string(start.distribution)));
      },
      nb::arg("scheme"), nb::arg("widths"), nb::arg("features"), nb::arg("outputs"));
  m.def(
      "paste_lines",
      [](const Pairs& layers, const std::string& distribution) {
        const NetworkSpec network = NetworkSpec::uniform(static_cast<Index>(layers.size()) - 1);
        const PasteLines lines = paste_lines(start_of(layers, distribution, network));
        nb::dict result;
        result["torch"] = lines.pytorch;
        result["keras"] = lines.keras;
        result["flax"] = lines.flax;
        return result;
      },
      nb::arg("layers"), nb::arg("distribution"));
  m.def(
      "report_page", [](const std::string& folder) { return report_page(folder); }, nb::arg("folder"));
}

}  // namespace priorfit::python
