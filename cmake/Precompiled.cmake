# Headers of other projects that most sources include, parsed once for all. Sources still include what they use: the
# presets of clang build without (CMAKE_DISABLE_PRECOMPILE_HEADERS). None of this project's headers: a change of ours then
# never rebuilds everything. Not nlohmann/json.hpp: few sources need it, and it adds 0.9 s to each that does not.
set(common_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <span> <string>
  <string_view> <vector> <fmt/format.h> <Eigen/Core>)

# For sources in which nothing runs long.
set(cold_options $<$<CONFIG:Release>:-O1>)

# GCC 12 warns wrongly about copies within std::string (its bugs 105329 and 105651), beside FORTIFY all the more. Clang and
# the sanitizers look at bounds too.
set(wrong_warnings -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
set(wrong_warnings_off "$<$<CXX_COMPILER_ID:GNU>:${wrong_warnings}>")
