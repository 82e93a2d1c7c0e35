#include "training_flags.hpp"

namespace priorfit::cli {
namespace {

template <typename Field, typename Value>
void take(Field& field, const std::optional<Value>& flag) {
  if (flag) field = *flag;
}

}  // namespace

void TrainingFlags::add_to(CLI::App& command) {
  command.add_option("--epochs", epochs_, "passes over the samples (250)");
  command.add_option("--batch", batch_, "samples per step (128)");
  command.add_option("--loss", loss_, "squared or cross-entropy (cross-entropy for classes, squared for numbers)");
  command.add_option("--label-smoothing", label_smoothing_,
                     "share of the target spread over all classes, with cross-entropy (0)");
  command.add_option("--optimizer", optimizer_, "adam, adamw or sgd (adam)");
  command.add_option("--momentum", momentum_, "of sgd, such as 0.9 (0)");
  command.add_flag("--nesterov", nesterov_, "Nesterov's momentum, for sgd");
  command.add_option("--weight-decay", weight_decay_, "of weights and biases, as in PyTorch (0)");
  command.add_option("--learning-rate", learning_rate_, "(0.001; 0.01 for sgd)");
  command.add_option("--learning-rate-decay", decay_,
                     "constant, or cosine: falls towards 0 at the last epoch (constant)");
  command.add_option("--warmup-epochs", warmup_epochs_, "epochs over which the learning rate grows at first (0)");
  command.add_option("--validation-fraction", validation_fraction_,
                     "share of the samples held out to choose the best epoch, whose weights are kept (0)");
  command.add_option("--patience", patience_,
                     "epochs without a better validation loss that end the training; 0: none do (10)");
}

void TrainingFlags::apply_to(TrainOptions& options) const {
  take(options.epochs, epochs_);
  take(options.batch, batch_);
  if (loss_) options.loss = parse_loss(*loss_);
  take(options.label_smoothing, label_smoothing_);
  if (optimizer_) {
    options.optimizer.kind = parse_optimizer_kind(*optimizer_);
    options.learning_rate.base.reset();  // its own default, unless one is given
  }
  take(options.optimizer.momentum, momentum_);
  if (nesterov_) options.optimizer.nesterov = true;
  take(options.optimizer.weight_decay, weight_decay_);
  take(options.learning_rate.base, learning_rate_);
  if (decay_) options.learning_rate.decay = parse_decay(*decay_);
  take(options.learning_rate.warmup_epochs, warmup_epochs_);
  take(options.validation_fraction, validation_fraction_);
  take(options.patience, patience_);
}

}  // namespace priorfit::cli
