# priorfit-mpi: the command line with src/distributed, from the same objects as priorfit. `mpirun priorfit …` hands over to it.
find_package(MPI QUIET COMPONENTS CXX)
find_library(SCALAPACK_LIBRARY NAMES scalapack-openmpi scalapack)
if(NOT MPI_CXX_FOUND OR NOT SCALAPACK_LIBRARY)
  message(FATAL_ERROR "PRIORFIT_MPI needs Open MPI and ScaLAPACK: apt install libopenmpi-dev openmpi-bin libscalapack-openmpi-dev "
                      "(scripts/bootstrap mpi)")
endif()

target_include_directories(priorfit_distributed SYSTEM PUBLIC ${MPI_CXX_INCLUDE_DIRS})
target_compile_definitions(priorfit_distributed PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

add_library(priorfit_mpi STATIC $<TARGET_OBJECTS:priorfit_distributed>)
target_include_directories(priorfit_mpi SYSTEM PUBLIC ${MPI_CXX_INCLUDE_DIRS})
target_compile_definitions(priorfit_mpi PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(priorfit_mpi PUBLIC priorfit ${SCALAPACK_LIBRARY} ${MPI_CXX_LIBRARIES})

priorfit_command(priorfit-cli-mpi priorfit-mpi ${PROJECT_SOURCE_DIR}/cli/ranks_mpi.cpp)
target_link_libraries(priorfit-cli-mpi PRIVATE priorfit_mpi)
install(TARGETS priorfit-cli-mpi COMPONENT mpi)
