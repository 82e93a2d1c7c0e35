// Adam's second moments decay through the denormal range, where x86 arithmetic is a hundred times slower.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace priorfit::internal {

/// Denormal inputs and results count as zero in this thread, for the lifetime of the object.
class FlushDenormals {
 public:
#if defined(__SSE2__)
  FlushDenormals() : previous_(_mm_getcsr()) { _mm_setcsr(previous_ | flush_to_zero | denormals_are_zero); }
  ~FlushDenormals() { _mm_setcsr(previous_); }
#else
  FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned flush_to_zero = 0x8000;
  static constexpr unsigned denormals_are_zero = 0x0040;
  unsigned previous_;
#endif
};

}  // namespace priorfit::internal
