// priorfit kernel: the covariance or the tangent kernel of the samples, as an array for other programs.
#include "priorfit/kernel.hpp"

#include <fmt/format.h>

#include <memory>

#include "arrays/npy.hpp"
#include "command.hpp"
#include "flags.hpp"
#include "linalg/fits.hpp"
#include "linalg/threads.hpp"
#include "overwrite.hpp"
#include "prior_flags.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit::cli {
using namespace internal;
namespace {

struct Flags {
  DataFlags data;
  NetworkFlags network;
  PriorFlags prior;
  std::filesystem::path out;
  bool tangent = false;
  bool force = false;
  bool quiet = false;
  int threads = 0;
};

void run(Flags& flags) {
  if (flags.out.extension() != ".npy") {
    throw Error(ErrorKind::usage, fmt::format("--out is '{}': the file's name must end in .npy", flags.out.string()));
  }
  flags.prior.resolve();
  const NetworkSpec network = flags.network.spec(flags.prior.recommended());
  std::vector<std::string> inputs = flags.data.inputs();
  inputs.push_back(flags.prior.from());
  check_file(flags.out, "kernel", inputs, flags.force);
  const Console console(flags.quiet);
  const PreparedData data = flags.data.read(console);
  const ThreadScope threads(threads_for_command(flags.threads, console));
  // The matrix, the file's bytes, and the packed matrices it comes from.
  require_memory("the kernel", data.train.size(), [&](Index n) {
    return sizeof(double) * static_cast<double>(n) * static_cast<double>(n) * (flags.tangent ? 3 : 2.5);
  });
  const Initialisation start = flags.prior.start(network, data.features(), data.outputs());
  const Matrix kernel = flags.tangent ? tangent_kernel(network, start.layers, data.train.inputs)
                                      : covariance(network, start.layers, data.train.inputs);
  write_file(flags.out, npy_bytes(kernel, {kernel.rows(), kernel.cols()}));
  console.say(fmt::format("wrote {}: {} of {} samples, depth {}, {}, {}{}", flags.out.string(),
                          flags.tangent ? "tangent kernel" : "covariance", kernel.rows(), network.depth(),
                          network.activation.name(), flags.prior.text(start),
                          flags.tangent ? fmt::format(", width {}", network.hidden_widths.front()) : std::string()));
}

}  // namespace

void add_kernel(CLI::App& app, Action& action) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("kernel", "covariance or tangent kernel of the samples, as an .npy array");
  flags->data.add_to(*command, "digits");
  flags->network.add_to(*command);
  flags->prior.add_to(*command);
  command->add_flag("--force", flags->force, "replace a file that is not a kernel");
  command->add_flag("--tangent", flags->tangent, "the tangent kernel of gradient descent instead of the covariance");
  command->add_option("--out", flags->out, "file to write: .npy, samples × samples, double precision")->required();
  command->add_flag("--quiet", flags->quiet, "no messages on stderr");
  command->add_option("--threads", flags->threads, "0: as many cores as are free")->capture_default_str();
  command->callback([flags, &action] { action = [flags] { run(*flags); }; });
}

}  // namespace priorfit::cli
