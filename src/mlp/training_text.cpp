#include "mlp/training_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace priorfit::internal {
namespace {

std::string sizes_text(const TrainingReport& r) {
  std::string hidden = r.network.widths_text();
  if (hidden.find(' ') != std::string::npos) hidden = "(" + hidden + ")";
  return fmt::format("{}-{}-{}", r.data.features, hidden, r.network_outputs);
}

std::string prior_text(const TrainingReport& r) {
  const Initialisation start{.layers = r.priors};
  if (!start.pair() && !start.own_output()) {
    std::string text = r.scheme ? fmt::format("initial parameters by {}, σ_w² =", to_string(*r.scheme))
                                : std::string("initial σ_w² of each layer =");
    for (const LayerPrior& prior : r.priors) text += fmt::format(" {:.4g}", prior.weight_variance);
    const auto has_bias = [](const LayerPrior& prior) { return prior.bias_variance > 0; };
    if (std::any_of(r.priors.begin(), r.priors.end(), has_bias)) {
      text += ", σ_b² =";
      for (const LayerPrior& prior : r.priors) text += fmt::format(" {:.3g}", prior.bias_variance);
    }
    return text;
  }
  const LayerPrior &prior = r.priors.front(), &output = r.priors.back();
  std::string text = fmt::format("initial σ_w² = {:g} (standard deviation {:.4g}/√fan_in), σ_b² = {:g}",
                                 prior.weight_variance, std::sqrt(prior.weight_variance), prior.bias_variance);
  if (output != prior) text += fmt::format(", output layer σ_w² = {:g} without bias", output.weight_variance);
  return r.scheme ? text + fmt::format(" ({})", to_string(*r.scheme)) : text;
}

std::string loss_text(const TrainOptions& options) {
  if (options.loss == Loss::squared) return "mean squared error";
  return options.label_smoothing > 0 ? fmt::format("cross-entropy, label smoothing {:g}", options.label_smoothing)
                                     : std::string("cross-entropy");
}

std::string optimizer_text(const OptimizerOptions& optimizer) {
  std::string text = optimizer.kind == OptimizerKind::adam ? "Adam" : "AdamW";
  if (optimizer.kind == OptimizerKind::sgd) {
    text = "SGD";
    if (optimizer.momentum > 0) {
      text += fmt::format(" with {}momentum {:g}", optimizer.nesterov ? "Nesterov's " : "", optimizer.momentum);
    }
  }
  return text;
}

std::string rate_text(const LearningRateSchedule& rate) {
  std::string text = fmt::format("learning rate {:g}", *rate.base);
  if (rate.warmup_epochs > 0) text += fmt::format(" after {} epochs of warm-up", rate.warmup_epochs);
  return rate.decay == Decay::cosine ? text + " with cosine decay" : text;
}

std::string validation_text(const TrainingReport& r) {
  if (r.options.validation_fraction == 0) return "no validation rows";
  const std::string rows = r.summary.validation
                               ? fmt::format("{} rows held out to validate", r.summary.validation->samples)
                               : fmt::format("{:g} of the rows held out to validate", r.options.validation_fraction);
  if (r.options.patience == 0) return rows + ", best weights kept";
  return rows + fmt::format(", best weights kept, patience {} epochs", r.options.patience);
}

std::string vanishing_text(const LayerFault& fault) {
  return fmt::format("In epoch {} no gradient reached layer {} any more: it vanished on the way from the output",
                     fault.epoch, fault.layer);
}

}  // namespace

std::string assumptions(const TrainingReport& r) {
  const DataSummary& data = r.data;
  const std::string share = data.samples == data.rows
                                ? fmt::format("all {} rows", data.rows)
                                : fmt::format("{} of {} rows (seed {})", data.samples, data.rows, data.seed);
  return fmt::format(
      "{}: {}, {} features, {}, preprocess {}; tested on {} rows\n"
      "network: {}, {}; {}\n"
      "{}: {}, batch {}, {} epoch{}, seed {}, weight decay {:g}; {}; {}\n",
      data.name, share, data.features, to_string(data.task), to_string(data.preprocess), r.test_samples, sizes_text(r),
      r.network.activation.name(), prior_text(r), optimizer_text(r.options.optimizer),
      rate_text(r.options.learning_rate), r.options.batch, r.options.epochs, r.options.epochs == 1 ? "" : "s",
      r.options.seed, r.options.optimizer.weight_decay, loss_text(r.options), validation_text(r));
}

std::string how_trained(const TrainOptions& options) {
  const std::string validation = options.validation_fraction == 0
                                     ? std::string("no validation rows")
                                     : fmt::format("{:g} of the rows held out to validate, patience {}",
                                                   options.validation_fraction, options.patience);
  return fmt::format("{}, {}, batch {}, {} epoch{}, weight decay {:g}; {}; {}", optimizer_text(options.optimizer),
                     rate_text(options.learning_rate), options.batch, options.epochs, options.epochs == 1 ? "" : "s",
                     options.optimizer.weight_decay, loss_text(options), validation);
}

std::string events(const TrainingReport& r) {
  const TrainingSummary& s = r.summary;
  std::string text;
  if (s.best_epoch) {
    text += fmt::format("The weights {} those of epoch {}, which validate best{}\n",
                        r.unfinished.empty() ? "are" : "kept so far are", *s.best_epoch,
                        s.stopped_early ? fmt::format("; training stopped after {} epochs", s.history.size()) : "");
  }
  if (s.vanished) text += vanishing_text(*s.vanished) + "\n";
  return text;
}

namespace {

bool is_classification(const TrainingReport& r) { return r.data.task == Task::classification; }

std::string headline(const TrainingReport& r) {
  if (!r.unfinished.empty()) return r.unfinished;
  const Metrics& metrics = r.summary.test ? *r.summary.test : r.summary.train;
  const std::string rows = fmt::format("{} {} rows", metrics.samples, r.summary.test ? "test" : "training");
  if (is_classification(r)) {
    return fmt::format("The network classifies {:.2f} % of {} correctly.", 100 * metrics.accuracy.value_or(0.0), rows);
  }
  return fmt::format("The network predicts {} with RMSE {:.4g}.", rows, metrics.rmse.value_or(0.0));
}

std::string loss_sentence(const TrainingReport& r) {
  const std::vector<EpochRecord>& history = r.summary.history;
  if (history.empty()) return "No epoch was finished.";
  std::string text =
      fmt::format("The training loss ({}) fell from {:.4g} in the first epoch to {:.4g} in epoch {}.",
                  loss_text(r.options), history.front().train_loss, history.back().train_loss, history.back().epoch);
  if (history.back().train_loss > history.front().train_loss) text.replace(text.find("fell"), 4, "rose");
  return r.summary.best_epoch
             ? text + fmt::format(" The validation loss is least after epoch {}.", *r.summary.best_epoch)
             : text;
}

std::string quality_sentence(const TrainingReport& r) {
  const auto better = [&](const EpochRecord& a, const EpochRecord& b) {
    if (!a.test || !b.test) return bool(a.test);
    return is_classification(r) ? a.test->accuracy > b.test->accuracy : a.test->rmse < b.test->rmse;
  };
  const auto& history = r.summary.history;
  const auto best = std::min_element(history.begin(), history.end(), better);
  if (r.test_samples == 0) return "There are no test rows.";
  if (best == history.end() || !best->test) return "The test rows have not been looked at yet.";
  return is_classification(r) ? fmt::format(
                                    "The most test rows, {:.2f} %, were right after epoch {}; choosing that epoch "
                                    "by the test rows would flatter the network.",
                                    100 * *best->test->accuracy, best->epoch)
                              : fmt::format(
                                    "The least test error, RMSE {:.4g}, was that after epoch {}; choosing that "
                                    "epoch by the test rows would flatter the network.",
                                    *best->test->rmse, best->epoch);
}

std::string class_name(const TrainingReport& r, std::size_t index) {
  return index < r.output_names.size() ? r.output_names[index] : std::to_string(index);
}

std::string confusion_sentence(const TrainingReport& r) {
  Index most = 0;
  std::size_t truth = 0, taken = 0;
  for (std::size_t t = 0; t < r.confusion.size(); ++t) {
    for (std::size_t p = 0; p < r.confusion.size(); ++p) {
      if (p == t || r.confusion[t][p] <= most) continue;
      most = r.confusion[t][p], truth = t, taken = p;
    }
  }
  if (most == 0) return "No row is taken for another class.";
  return fmt::format("The most frequent confusion: {} row{} of class {} taken for {}.", most, most == 1 ? "" : "s",
                     class_name(r, truth), class_name(r, taken));
}

std::string prediction_sentence(const TrainingReport& r) {
  const Metrics& metrics = r.summary.test ? *r.summary.test : r.summary.train;
  std::string text = "A perfect prediction lies on the line.";
  if (metrics.r_squared) text += fmt::format(" R² is {:.4g}.", *metrics.r_squared);
  const auto shown = static_cast<Index>(r.predictions.size()) / std::max<Index>(1, r.network_outputs);
  if (shown < metrics.samples) text += fmt::format(" {} of {} rows are drawn.", shown, metrics.samples);
  return text;
}

}  // namespace

std::vector<Sentence> sentences(const TrainingReport& r) {
  std::vector<Sentence> all = {{"headline", headline(r)}};
  const auto add_lines = [&](const char* kind, const std::string& lines) {
    std::size_t begin = 0;
    for (std::size_t end; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1) {
      all.push_back({kind, lines.substr(begin, end - begin)});
    }
  };
  add_lines("assumption", assumptions(r));
  add_lines("event", events(r));
  all.push_back({"loss", loss_sentence(r)});
  all.push_back({"quality", quality_sentence(r)});
  if (!r.confusion.empty()) all.push_back({"confusion", confusion_sentence(r)});
  if (!r.predictions.empty()) all.push_back({"predictions", prediction_sentence(r)});
  return all;
}

}  // namespace priorfit::internal
