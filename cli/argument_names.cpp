#include "argument_names.hpp"

#include <cctype>
#include <set>

namespace priorfit::cli {

const std::map<std::string, std::string>& argument_names() {
  static const std::map<std::string, std::string> names = {
      {"weight_bounds", "--weight-bounds"},
      {"bias_bounds", "--bias-bounds"},
      {"noise_bounds", "--noise-bounds"},
      {"weight_variances", "--weight-variances"},
      {"bias_variances", "--bias-variances"},
      {"output_weight_variances", "--output-variances"},
      {"weight_variance", "--weight-variance"},
      {"bias_variance", "--bias-variance"},
      {"noise_variance", "--noise"},
      {"time_limit", "--time-limit"},
      {"budget", "--budget"},
      {"risk_samples", "--risk-samples"},
      {"test_fraction", "--test-fraction"},
      {"criterion", "--criterion"},
      {"samples=", "--samples"},
      {"sizes=", "--sizes"},
      {"task=", "--task"},
      {"loss=", "--loss"},
      {"learning_rate", "--learning-rate"},
      {"weight_decay", "--weight-decay"},
      {"label_smoothing", "--label-smoothing"},
      {"validation_fraction", "--validation-fraction"},
      {"warmup_epochs", "--warmup-epochs"},
      {"evaluate_every", "--test-every"},
      {"checkpoint_every", "--checkpoint-every"},
  };
  return names;
}

namespace {

/// Arguments that are English words too, so that they are taken for arguments only where a message starts with one:
/// "batch is 0: it must be at least 1", "optimizer 'adm' is unknown".
bool starts_with_argument(const std::string& message, std::size_t end) {
  static const std::set<std::string> words = {"batch",     "epochs",   "loss",   "momentum",
                                              "optimizer", "patience", "samples"};
  const std::string behind = message.substr(end, 4);
  return words.contains(message.substr(0, end)) && (behind == " is " || behind.starts_with(" '"));
}

}  // namespace

std::string with_flags(const std::string& message) {
  const auto in_word = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(message[i])) || message[i] == '_' || message[i] == '-';
  };
  std::string text;
  for (std::size_t i = 0; i < message.size();) {
    if (!in_word(i)) {
      text += message[i++];
      continue;
    }
    std::size_t end = i;
    while (end < message.size() && in_word(end)) ++end;
    const std::string word = message.substr(i, end - i);
    const auto found = argument_names().find(word);
    // A word without underscore is an English word first, and what follows a dot is a key of a file.
    const bool is_key = i > 0 && message[i - 1] == '.';
    const bool is_argument = !is_key && found != argument_names().end() && word.find('_') != std::string::npos;
    // "samples=500": an argument with its value.
    const auto with_value = argument_names().find(word + "=");
    if (with_value != argument_names().end() && end < message.size() && message[end] == '=') {
      text += with_value->second + " ";
      i = end + 1;
      continue;
    }
    if (i == 0 && starts_with_argument(message, end)) text += "--";
    text += is_argument ? found->second : word;
    i = end;
  }
  return text;
}

}  // namespace priorfit::cli
