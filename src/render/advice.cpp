#include "render/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "render/figures.hpp"
#include "support/text.hpp"
#include "support/word_table.hpp"

namespace priorfit::internal {
namespace {

bool classes(const Recommendation& r) { return r.data.task == Task::classification; }

std::string value_text(const Recommendation& r, double value) {
  return classes(r) ? fmt::format("{:.1f} %", 100 * value) : fmt::format("{:.4g}", value);
}

std::string measured_text(const Recommendation& r, const MeasuredStart& measured) {
  return classes(r) ? fmt::format("{:.1f} ± {:.1f} %", 100 * measured.value, 100 * measured.standard_error)
                    : fmt::format("{:.4g} ± {:.2g}", measured.value, measured.standard_error);
}

/// Of a file its name alone: a path would fill the line.
std::string data_name(const Recommendation& r) { return std::filesystem::path(r.data.name).filename().string(); }

const char* loss_name(const Advice& advice) {
  return advice.training.loss == Loss::cross_entropy ? "cross-entropy" : "squared error";
}

/// "+1.6 ± 0.4", in points of accuracy or per cent of the error, where less is better
std::string gain_text(const Recommendation& r, double gain, std::optional<double> standard_error,
                      double current_value) {
  const double unit = classes(r) ? 100.0 : 100.0 / current_value;
  const double change = classes(r) ? gain : -gain;
  std::string text = fmt::format("{}{:.1f}", change < 0 ? "−" : "+", std::abs(change) * unit);
  if (standard_error) text += fmt::format(" ± {:.1f}", *standard_error * unit);
  return classes(r) ? text : text + " %";
}

const char* gain_noun(const Recommendation& r) { return classes(r) ? "points of accuracy" : "RMSE"; }

std::string optimizer_name(const TrainOptions& training) {
  switch (training.optimizer.kind) {
    case OptimizerKind::adam: return "Adam";
    case OptimizerKind::adamw: return "AdamW";
    case OptimizerKind::sgd: return "SGD";
  }
  return "";
}

std::string shape_text(const Recommendation& r) {
  return fmt::format("{}-{}-{}", r.data.features, r.network.widths_text(), r.data.outputs);
}

std::string pair_text(const LayerPrior& layer) {
  return fmt::format("σ_w² = {:.3g}, σ_b² = {:.3g}", layer.weight_variance, layer.bias_variance);
}

/// Each row left out was predicted once: classes as so many draws, errors with their own uncertainty.
MeasuredStart prediction(const Recommendation& r, const TrainedRisk& risk) {
  if (risk.accuracy) {
    const double share = *risk.accuracy;
    return {.value = share, .standard_error = std::sqrt(share * (1 - share) / static_cast<double>(r.risk_samples))};
  }
  const double root = std::sqrt(risk.error);
  return {.value = root * r.target_scale, .standard_error = risk.standard_error / (2 * root) * r.target_scale};
}

/// Of the starts that are as good as the best, where their hidden layers' σ_w² lie.
std::string flat_text(const Advice& advice) {
  double lower = 1e300, upper = 0.0;
  for (const std::size_t i : advice.as_good) {
    for (std::size_t l = 0; l + 1 < advice.starts[i].start.layers.size(); ++l) {
      lower = std::min(lower, advice.starts[i].start.layers[l].weight_variance);
      upper = std::max(upper, advice.starts[i].start.layers[l].weight_variance);
    }
  }
  return fmt::format(
      "{} of {} starts are expected to be about as good as the best: σ_w² of the hidden layers from {:.3g} to {:.3g}.",
      advice.as_good.size(), advice.starts.size(), lower, upper);
}

}  // namespace

Recommendation about_the_evidence(const Recommendation& answer) {
  Recommendation r = answer;
  if (!answer.advice) return r;
  r.chosen = answer.advice->starts[answer.advice->by_evidence];
  r.criterion = "evidence";
  r.advice.reset();
  return r;
}

std::string layers_line(const Initialisation& start) {
  if (const auto pair = start.pair()) return "every layer " + pair_text(*pair);
  if (start.scheme) return {};
  if (const auto hidden = start.hidden_pair()) {
    const LayerPrior& output = start.layers.back();
    return fmt::format(
        "hidden layers {}; output layer {}", pair_text(*hidden),
        output.bias_variance == 0 ? fmt::format("σ_w² = {:.3g}, no bias", output.weight_variance) : pair_text(output));
  }
  return {};
}

std::string verdict_sentence(const Recommendation& r) {
  const Advice& advice = *r.advice;
  const Verdict& verdict = advice.verdict;
  const std::string& current = advice.names.front();
  const std::string& other = advice.names[advice.finalist];
  const std::string how = verdict.measured ? "" : "predicted, for squared error, ";
  if (verdict.current_fails) {
    return fmt::format(
        "Change it: training from {} diverges; from {} it does not{}.", current, other,
        verdict.recommended_value ? fmt::format(" ({})", value_text(r, *verdict.recommended_value)) : "");
  }
  if (!verdict.gain && !verdict.measured) {
    return fmt::format("Keep {}: what training does could not be predicted; pilots, given time, would measure it.",
                       current);
  }
  if (!verdict.gain) {
    return fmt::format("Keep {}: too little was measured to say that another start is better.", current);
  }
  const std::string gain = gain_text(r, *verdict.gain, *verdict.gain_standard_error, *verdict.current_value);
  if (verdict.action == Verdict::Action::change) {
    return fmt::format("Change it to {}: {}{} {} against {} ({} → {}).", other, how, gain, gain_noun(r), current,
                       value_text(r, *verdict.current_value), value_text(r, *verdict.recommended_value));
  }
  const char* gives = verdict.measured ? "gives" : "is predicted, for squared error, to give";
  return fmt::format("Keep {}: {}, the most promising of {} other starts, {} {} {}{}.", current, other,
                     advice.starts.size() - 1, gives, gain, gain_noun(r),
                     *verdict.gain > 0 ? ", which may be chance" : "");
}

std::vector<StartLine> start_lines(const Recommendation& r) {
  const Advice& advice = *r.advice;
  std::vector<std::size_t> places = {advice.finalist, 0};
  for (std::size_t i = 0; i < advice.starts.size(); ++i) {
    const bool confirmed = advice.pilots && advice.pilots->measured[i];
    const bool usual = advice.starts[i].start.scheme == InitialScheme::he || i == advice.by_evidence;
    if (confirmed || usual) places.push_back(i);
  }
  // The prediction is one of squared error; under another loss it is shown only where there is nothing better.
  const bool predict = advice.theory_applies && (advice.training.loss == Loss::squared || !advice.pilots);
  std::vector<StartLine> lines;
  for (const std::size_t place : places) {
    if (std::any_of(lines.begin(), lines.end(), [&](const StartLine& l) { return l.place == place; })) continue;
    StartLine line{.name = advice.names[place], .place = place, .predicted = "–", .measured = "–"};
    const Score* score = advice.starts[place].find("trained-risk");
    if (predict && score && score->ok()) {
      line.prediction = prediction(r, *score->risk());
      line.predicted = value_text(r, line.prediction->value);
    }
    if (advice.pilots) {
      line.measurement = advice.pilots->measured[place];
      if (line.measurement) line.measured = measured_text(r, *line.measurement);
      const auto& current = advice.pilots->measured[0];
      if (place == advice.finalist && advice.verdict.gain && advice.verdict.measured && advice.verdict.current_value) {
        line.against =
            gain_text(r, *advice.verdict.gain, *advice.verdict.gain_standard_error, *advice.verdict.current_value);
      } else if (place != 0 && current && advice.pilots->measured[place]) {
        const double mine = advice.pilots->measured[place]->value;
        line.against =
            gain_text(r, classes(r) ? mine - current->value : current->value - mine, std::nullopt, current->value);
      }
    }
    lines.push_back(line);
  }
  return lines;
}

std::string paste_comment(const Recommendation& r) {
  const Preparation& preparation = r.data.preparation;
  std::string text = fmt::format("# For {}: {} {}", data_name(r), shape_text(r), r.network.activation.name());
  if (r.advice) {
    const TrainOptions& training = r.advice->training;
    text += fmt::format(", {}, {} at {:g}, batches of {}", loss_name(*r.advice), optimizer_name(training),
                        training.learning_rate.base.value_or(0.0), training.batch);
  }
  std::string inputs = "as they are";
  switch (preparation.preprocess) {
    case Preprocess::unit:
      inputs = preparation.pixel_maximum > 0 ? fmt::format("divided by {:g}", preparation.pixel_maximum)
                                             : std::string("scaled to [0, 1]");
      break;
    case Preprocess::standardize: inputs = "standardised by the training rows"; break;
    case Preprocess::center: inputs = "centred by the training rows"; break;
    case Preprocess::none: break;
  }
  text += "\n# inputs " + inputs;
  if (preparation.target_scale.size() == 1) {
    text += fmt::format("; targets (y - {:.6g}) / {:.6g}", preparation.target_shift[0], preparation.target_scale[0]);
  } else if (preparation.target_scale.size() > 1) {
    text += "; targets standardised likewise";
  }
  return text + "; as code: prepare.py\n";
}

std::vector<Sentence> advice_sentences(const Recommendation& r) {
  const Advice& advice = *r.advice;
  std::vector<Sentence> all = {{"verdict", verdict_sentence(r)}};
  if (const std::string layers = layers_line(r.chosen.start); !layers.empty()) all.push_back({"answer", layers});
  for (const std::string& caution : advice.cautions) all.push_back({"caution", caution});
  if (!advice.theory_applies) {
    all.push_back(
        {"width", "The layers are too narrow for the prediction, which is for wide ones: pilots alone decide."});
  }
  if (advice.verdict.flat) all.push_back({"flat", flat_text(advice)});
  if (advice.pilots) {
    const PilotStudy& pilots = *advice.pilots;
    std::string text = fmt::format("{} networks were trained, each for {} epochs on some of {} rows", pilots.count,
                                   pilots.epochs, pilots.rows);
    if (pilots.gain) {
      text += fmt::format("; the gain is over {} blocks of rows left out, none of which took part in choosing",
                          pilots.gain->blocks);
    }
    all.push_back({"pilots", text + ". ± is one standard error over other draws of rows and seeds."});
    if (pilots.ended_by == "budget") {
      all.push_back({"budget", fmt::format("The time was up: a larger {} would measure more.", argument(r, "budget"))});
    }
    if (pilots.interrupted) all.push_back({"budget", "Interrupted: this is the answer so far."});
  } else {
    all.push_back(
        {"pilots", "Theory alone: no network was trained to confirm it, and the prediction is one of squared error."});
  }
  if (advice.largest_stable_rate) {
    all.push_back(
        {"rate",
         fmt::format(
             "Gradient descent with all rows on squared error is stable from here below a learning rate of {:.3g}.",
             *advice.largest_stable_rate)});
  }
  return all;
}

std::string subject_line(const Recommendation& r) {
  const Advice& advice = *r.advice;
  return fmt::format("{}: {} rows, {} features, {} · network {} {}, {}, {}", data_name(r), grouped(r.data.samples),
                     grouped(r.data.features),
                     classes(r) ? fmt::format("{} classes", r.data.outputs) : std::string("a number to predict"),
                     shape_text(r), r.network.activation.name(), loss_name(advice), optimizer_name(advice.training));
}

/// A table with a start per line.
WordTable starts_table(const Recommendation& r) {
  const std::string quality = classes(r) ? "accuracy" : "RMSE";
  WordTable table{.alignment = "lrrl",
                  .rows = {{"start", "predicted", r.advice->pilots ? fmt::format("measured ({})", quality) : "measured",
                            "against " + r.advice->names.front()}}};
  for (const StartLine& line : start_lines(r)) {
    table.rows.push_back({line.name, line.predicted, line.measured, line.against});
  }
  return table;
}

/// Of the framework that is in use; empty where the start is kept.
std::string lines_to_paste(const Recommendation& r) {
  if (r.advice->verdict.action == Verdict::Action::keep || r.framework == Framework::none) return {};
  const PasteLines lines = paste_lines(r);
  return r.framework == Framework::torch ? lines.pytorch : r.framework == Framework::keras ? lines.keras : lines.flax;
}

std::string advice_table(const Recommendation& r) {
  const auto says = [](const Sentence& s, std::initializer_list<const char*> kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) { return s.kind == kind; });
  };
  const std::vector<Sentence> all = advice_sentences(r);
  std::string out = subject_line(r) + "\n\n";
  for (const Sentence& s : all) {
    if (says(s, {"verdict"})) out += wrapped(s.text, 100, "  ");
    if (says(s, {"answer"})) out += "  " + s.text + "\n";
  }
  out += "\n" + aligned(starts_table(r));
  out += "\n";
  for (const Sentence& s : all) {
    if (says(s, {"caution", "width", "flat", "pilots", "budget"})) out += wrapped(s.text, 100, "");
  }
  const std::string paste = lines_to_paste(r);
  return paste.empty() ? out : out + "\n" + indented(paste);
}

std::string advice_markdown(const Recommendation& r) {
  const std::vector<Sentence> all = advice_sentences(r);
  std::string text = subject_line(r) + "\n\n**" + all.front().text + "**\n\n", after;
  for (std::size_t i = 1; i < all.size(); ++i) (all[i].kind == "answer" ? text : after) += all[i].text + "\n\n";
  text += markdown(starts_table(r)) + "\n" + after;
  const std::string paste = lines_to_paste(r);
  return paste.empty() ? text : text + "```python\n" + paste + "```\n";
}

}  // namespace priorfit::internal
