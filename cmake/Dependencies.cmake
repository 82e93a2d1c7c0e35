# Everything comes from Debian packages; scripts/bootstrap installs them.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(NLOPT REQUIRED IMPORTED_TARGET nlopt)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

# OpenBLAS in its OpenMP build: the kernel pass and BLAS then share one pool of threads (docs/decisions/0002).
# Any other OpenBLAS works too, with a little time lost to its own spinning workers.
find_library(OPENBLAS_LIBRARY openblas REQUIRED
             HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
find_path(OPENBLAS_INCLUDE_DIR cblas.h REQUIRED
          HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
find_path(LAPACK_INCLUDE_DIR lapack.h REQUIRED)
