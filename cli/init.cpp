// priorfit init: initial weights as a file, and the lines that load it.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "flags.hpp"
#include "overwrite.hpp"
#include "prior_flags.hpp"
#include "priorfit/error.hpp"
#include "priorfit/weights.hpp"

namespace priorfit::cli {
namespace {

struct Flags {
  PriorFlags prior;
  std::string layers;
  std::string activation = "relu";
  const CLI::Option* activation_option = nullptr;
  Index width = 2000;
  std::uint64_t seed = 1;
  std::string out;
  std::string layout = "torch";
  bool force = false;
  bool quiet = false;
};

std::vector<Index> parse_layers(const std::string& text) {
  std::vector<Index> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    Index size = 0;
    const auto [end, error] = std::from_chars(text.data() + begin, text.data() + comma, size);
    if (error != std::errc() || end != text.data() + comma || size < 1) {
      throw Error(ErrorKind::usage,
                  fmt::format("--layers: '{}' is not a whole number above 0", text.substr(begin, comma - begin)));
    }
    sizes.push_back(size);
    begin = comma + 1;
  }
  if (sizes.size() < 3) {
    throw Error(ErrorKind::usage,
                fmt::format("--layers has {} size{}: it needs inputs, hidden widths and outputs, such "
                            "as 784,2000,10",
                            sizes.size(), sizes.size() == 1 ? "" : "s"));
  }
  return sizes;
}

// The sizes asked for, or those of the recommendation's data with hidden layers of --width.
std::vector<Index> layer_sizes(const Flags& flags) {
  const auto& recommended = flags.prior.recommended();
  if (flags.layers.empty() && !recommended) {
    throw Error(ErrorKind::usage, "--layers is missing: give the sizes, such as 784,2000,10, or --from");
  }
  if (flags.layers.empty()) {
    std::vector<Index> sizes(static_cast<std::size_t>(recommended->depth) + 2, flags.width);
    sizes.front() = recommended->features;
    sizes.back() = recommended->outputs;
    return sizes;
  }
  const std::vector<Index> sizes = parse_layers(flags.layers);
  if (recommended && static_cast<Index>(sizes.size()) != recommended->depth + 2) {
    throw Error(ErrorKind::usage, fmt::format("--layers has {} hidden layers: the recommendation is for depth {}",
                                              sizes.size() - 2, recommended->depth));
  }
  return sizes;
}

Activation activation(const Flags& flags) {
  const Activation given = Activation::parse(flags.activation);
  const auto& recommended = flags.prior.recommended();
  if (!recommended) return given;
  if (flags.activation_option->count() > 0 && given != recommended->activation) {
    throw Error(ErrorKind::usage, fmt::format("--activation is {}: the recommendation is for {}", given.name(),
                                              recommended->activation.name()));
  }
  return recommended->activation;
}

void run(Flags& flags) {
  flags.prior.resolve();
  const WeightLayout layout = parse_weight_layout(flags.layout);
  const std::vector<Index> sizes = layer_sizes(flags);
  const NetworkSpec spec{{sizes.begin() + 1, sizes.end() - 1}, activation(flags)};
  const Initialisation start = flags.prior.start(spec, sizes.front(), sizes.back());
  const Mlp network = initialise(spec, sizes.front(), sizes.back(), start, flags.seed);
  check_file(flags.out, "init", {flags.prior.from()}, flags.force);
  save_weights(flags.out, network, {.layout = layout, .metadata = flags.prior.metadata(start, flags.seed)});
  Console(flags.quiet)
      .say(fmt::format("wrote {}: {} parameters, {}, seed {}, layout {}", flags.out, network.parameters(),
                       flags.prior.text(start), flags.seed, to_string(layout)));
  fmt::print("{}", loading_lines(flags.out, network, layout));
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("init", "initial weights for PyTorch, Keras, Flax or NumPy");
  command->add_option("--layers", flags->layers, "sizes from input to output, such as 784,2000,10");
  flags->prior.add_to(*command);
  command->add_option("--width", flags->width, "units in each hidden layer, with --from and no --layers")
      ->capture_default_str();
  flags->activation_option = command
                                 ->add_option("--activation", flags->activation,
                                              "of the file's note and the lines printed; the draws do not "
                                              "depend on it: " +
                                                  activation_help())
                                 ->capture_default_str();
  command->add_option("--seed", flags->seed, "of the draws")->capture_default_str();
  command->add_option("--layout", flags->layout, "torch or keras")->capture_default_str();
  command->add_option("--out", flags->out, "file to write: .safetensors or .npz")->required();
  command->add_flag("--force", flags->force, "replace a file that is not weights");
  command->add_flag("--quiet", flags->quiet, "no messages on stderr");
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
