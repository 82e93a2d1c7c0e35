# find_package(priorfit) after `cmake --install`.
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)  # priorfit-mpi is another (Mpi.cmake, Package.cmake)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/priorfit)
install(TARGETS priorfit EXPORT priorfit-targets)
install(TARGETS priorfit-cli)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/priorfit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT priorfit-targets NAMESPACE priorfit:: DESTINATION ${config_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/priorfit-config.cmake.in
                              ${PROJECT_BINARY_DIR}/priorfit-config.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/priorfit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/priorfit-config.cmake ${PROJECT_BINARY_DIR}/priorfit-config-version.cmake
        DESTINATION ${config_folder})
