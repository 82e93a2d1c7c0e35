// How good a network is on a set of rows.
#pragma once

#include "mlp/engine.hpp"

namespace priorfit::internal {

/// `chosen`: the rows to measure, in that order; `target_scale`: outputs, or empty for ones.
Metrics measure(Engine<float>& engine, const InputRows<float>& rows, std::span<const std::int64_t> chosen,
                const Vector& target_scale);

/// Rows a forward pass takes at a time: enough to use each weight panel well while it is in the cache.
constexpr Index measure_block = 256;

/// Calls visit(batch, outputs) for consecutive blocks of the chosen rows.
template <typename Visit>
void for_each_block(Engine<float>& engine, const InputRows<float>& rows, std::span<const std::int64_t> chosen,
                    const Visit& visit) {
  Batch<float> batch;
  constexpr auto block = static_cast<std::size_t>(measure_block);
  for (std::size_t first = 0; first < chosen.size(); first += block) {
    rows.gather(chosen.subspan(first, std::min(block, chosen.size() - first)), /*with_columns=*/false, batch);
    visit(batch, engine.forward(batch));
  }
}

/// Throws Error(usage) unless `samples` has inputs, targets and labels that fit the network and the loss and are
/// finite.
void check_samples(const char* name, const Samples& samples, const Mlp& network, Loss loss);

/// Threads worth using for batches of `rows` when the caller allows `threads`, 0 meaning all: a step of a small network
/// is over before a second thread has woken up. The results are the same either way.
int useful_threads(int threads, const Mlp& network, Index rows);

}  // namespace priorfit::internal
