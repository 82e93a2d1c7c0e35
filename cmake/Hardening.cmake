# What a release build carries against errors in memory; docs/reliability.md has the measured cost. Not beside
# sanitizers, which see more and do not go together with FORTIFY: their presets have no build type.
option(PRIORFIT_HARDENING "Stack protector, FORTIFY and full RELRO in release builds" ON)
set(hardened $<AND:$<BOOL:${PRIORFIT_HARDENING}>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>)
add_compile_options($<${hardened}:-fstack-protector-strong>)
add_compile_definitions($<${hardened}:_FORTIFY_SOURCE=2>)
add_link_options($<${hardened}:LINKER:-z,relro,-z,now>)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)  # CMAKE_POSITION_INDEPENDENT_CODE then holds for programs too

# The same library path in the build tree as when installed. Otherwise CMake pads the one of the build tree with colons,
# to overwrite it later; an empty entry is the current folder, and a libhwy.so.1 that lies there would be loaded.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
if(NOT PRIORFIT_PACKAGE)  # the system's loader finds a package's libraries, and a tarball brings its own
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()
