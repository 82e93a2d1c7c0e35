// How long load_dataset() takes for a file, on the clock: read_bench FILE [TIMES]. Prints seconds, one line each.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "priorfit/dataset.hpp"

int main(int count, char** words) {
  if (count < 2) return 2;
  for (int left = count > 2 ? std::atoi(words[2]) : 1; left > 0; --left) {
    const auto start = std::chrono::steady_clock::now();
    const priorfit::Dataset data = priorfit::load_dataset({.source = words[1]});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (data.train.size() == 0) return 1;
    fmt::print("{:.4f}\n", took.count());
  }
}
