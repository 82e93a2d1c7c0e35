# What belongs to an installed program beside it, and a Debian package of it all by CPack (scripts/package).
#
# Man pages and completions are printed by the program itself: the same source as its --help.
find_program(GZIP_PROGRAM gzip REQUIRED)
set(documents ${PROJECT_BINARY_DIR}/documents)
set(commands recommend init train predict experiment kernel phase simulate data prepare report completion)
set(pages ${documents}/priorfit.1.gz)
foreach(command IN LISTS commands)
  list(APPEND pages ${documents}/priorfit-${command}.1.gz)
endforeach()
add_custom_command(OUTPUT ${pages} ${documents}/priorfit.bash ${documents}/_priorfit ${documents}/priorfit.fish
  COMMAND ${PROJECT_SOURCE_DIR}/packaging/documents $<TARGET_FILE:priorfit-cli> ${documents} ${commands}
  DEPENDS priorfit-cli ${PROJECT_SOURCE_DIR}/packaging/documents VERBATIM)
add_custom_target(documents ALL DEPENDS ${pages})
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${documents}/priorfit.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME priorfit
        OPTIONAL)
install(FILES ${documents}/_priorfit DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions OPTIONAL)
install(FILES ${documents}/priorfit.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)

if(PRIORFIT_PACKAGE)
  # Whoever makes the package answers for it, as with Debian's own tools; the project has no mailbox of its own, and
  # example.org is nobody's (RFC 2606).
  set(maintainer "The priorfit developers <noreply@example.org>")
  if(DEFINED ENV{DEBEMAIL})
    set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  endif()
  execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cD OUTPUT_VARIABLE day
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT day)
    string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
  endif()
  configure_file(packaging/changelog.in ${PROJECT_BINARY_DIR}/changelog @ONLY)
  file(COPY_FILE ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_BINARY_DIR}/CHANGELOG.md)
  foreach(text changelog CHANGELOG.md)
    execute_process(COMMAND ${GZIP_PROGRAM} -9nc ${PROJECT_BINARY_DIR}/${text} OUTPUT_FILE ${PROJECT_BINARY_DIR}/${text}.gz)
    install(FILES ${PROJECT_BINARY_DIR}/${text}.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endforeach()
  install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
  if(PRIORFIT_MPI)  # a package of its own, which needs the other: mpirun starts priorfit, and that hands over
    set(mpi_documents ${CMAKE_INSTALL_DOCDIR}-mpi)
    install(FILES packaging/copyright ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${mpi_documents} COMPONENT mpi)
    file(MAKE_DIRECTORY ${documents})
    file(CREATE_LINK priorfit.1.gz ${documents}/priorfit-mpi.1.gz SYMBOLIC)
    install(FILES ${documents}/priorfit-mpi.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_NAME priorfit-mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "priorfit (= ${PROJECT_VERSION}), libopenblas0-openmp, openmpi-bin")
    set(CPACK_COMPONENT_MPI_DESCRIPTION "This package lets priorfit work on several machines: a covariance too large
for one is shared by the processes that mpirun or srun starts, and factored by
ScaLAPACK. The commands are those of priorfit.")
  endif()
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/packaging/notices\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/notices\" COMMAND_ERROR_IS_FATAL ANY)")
  set(CPACK_GENERATOR DEB)
  list(PREPEND CPACK_COMPONENTS_ALL program)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME priorfit)
  set(CPACK_PACKAGE_NAME priorfit)
  set(CPACK_PACKAGE_CONTACT "${maintainer}")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "how to initialise a neural network, from its data")
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "A wide network with random weights is a Gaussian process. priorfit computes
the marginal likelihood of data under it, predicts what a trained network
will do, confirms by short trainings, and says whether to keep the framework's
default initialisation or to change it. It prints lines for PyTorch, Keras and
Flax, and writes initial weights.

This package holds the program, the C++ library with headers and CMake files,
manual pages and completions.")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # Any OpenBLAS satisfies the program; this build shares its threads (docs/decisions/0002), and apt would take another.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libopenblas0-openmp")
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
  # To build on the library one needs what its own CMake file looks for.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "priorfit-mpi, g++, cmake, libeigen3-dev, libopenblas-openmp-dev, libhwy-dev, libfmt-dev, libzip-dev, libpng-dev, libjpeg62-turbo-dev, libsqlite3-dev, libnlopt-cxx-dev, zlib1g-dev, pkg-config")
  set(CPACK_STRIP_FILES ON)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  include(CPack)
endif()
