// How good a network is on a set of rows.
#pragma once

#include "mlp/engine.hpp"

namespace priorfit::mlp {

/// `target_scale`: outputs, or empty for ones.
Metrics measure(Engine<float>& engine, const InputRows<float>& rows, const Vector& target_scale);

/// Rows a forward pass takes at a time: enough to use each weight panel well while it is in the cache.
constexpr Index measure_block = 256;

/// Throws Error(usage) unless `samples` has inputs, targets and labels that fit the network and are finite.
void check_samples(const char* name, const Samples& samples, const Mlp& network);

/// Threads worth using for batches of `rows` when the caller allows `threads`, 0 meaning all: a step of a small network
/// is over before a second thread has woken up. The results are the same either way.
int useful_threads(int threads, const Mlp& network, Index rows);

}  // namespace priorfit::mlp
