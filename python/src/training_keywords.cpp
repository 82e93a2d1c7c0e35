#include "training_keywords.hpp"

namespace priorfit::python {
namespace {

const Keyword<TrainOptions> keywords[] = {
    {"epochs", [](auto& o, nb::handle v) { o.epochs = nb::cast<Index>(v); }},
    {"batch", [](auto& o, nb::handle v) { o.batch = nb::cast<Index>(v); }},
    {"loss", [](auto& o, nb::handle v) { o.loss = parse_loss(nb::cast<std::string>(v)); }},
    {"label_smoothing", [](auto& o, nb::handle v) { o.label_smoothing = nb::cast<double>(v); }},
    {"optimizer", [](auto& o, nb::handle v) { o.optimizer.kind = parse_optimizer_kind(nb::cast<std::string>(v)); }},
    {"momentum", [](auto& o, nb::handle v) { o.optimizer.momentum = nb::cast<double>(v); }},
    {"nesterov", [](auto& o, nb::handle v) { o.optimizer.nesterov = nb::cast<bool>(v); }},
    {"weight_decay", [](auto& o, nb::handle v) { o.optimizer.weight_decay = nb::cast<double>(v); }},
    {"learning_rate", [](auto& o, nb::handle v) { o.learning_rate.base = nb::cast<double>(v); }},
    {"learning_rate_decay",
     [](auto& o, nb::handle v) { o.learning_rate.decay = parse_decay(nb::cast<std::string>(v)); }},
    {"warmup_epochs", [](auto& o, nb::handle v) { o.learning_rate.warmup_epochs = nb::cast<Index>(v); }},
    {"validation_fraction", [](auto& o, nb::handle v) { o.validation_fraction = nb::cast<double>(v); }},
    {"patience", [](auto& o, nb::handle v) { o.patience = nb::cast<Index>(v); }},
    {"seed", [](auto& o, nb::handle v) { o.seed = nb::cast<std::uint64_t>(v); }},
    {"evaluate_every", [](auto& o, nb::handle v) { o.evaluate_every = nb::cast<Index>(v); }},
};

}  // namespace

TrainOptions train_options(const nb::dict& values) {
  TrainOptions options;
  apply_keywords(options, values, keywords);
  options.validate();
  return options;
}

std::vector<std::string> train_keywords() { return names_of(keywords); }

}  // namespace priorfit::python
