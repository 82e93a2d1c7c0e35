// What the benchmark programs share. Processor time, which a busy machine disturbs less than the clock on the wall.
#pragma once

#include <ctime>

template <class Work>
double seconds_of(const Work& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}
