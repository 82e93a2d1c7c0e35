# priorfit_layer(name [KNOWS layer…] [PUBLIC header…] [COLD] [APART]): the sources of src/name as an object library of their own, which
# becomes part of the library priorfit. `${PROJECT_BINARY_DIR}/layers/name` holds links to the folder and to its public
# headers and nothing else; it is the layer's include path, and that of the layers that know it. COLD: no work of its own
# that takes time when it runs, so that -O1 does; likewise every source that reads or writes words (measured: a quarter of
# the time of a whole build). APART: not part of the library priorfit, and built only where something links to it.
set(layers_folder ${PROJECT_BINARY_DIR}/layers)
set(umbrella_header priorfit)  # includes every other one; belongs to no layer

set(priorfit_libraries
  ${OPENBLAS_LIBRARY} OpenMP::OpenMP_CXX hwy::hwy fmt::fmt ZLIB::ZLIB PNG::PNG JPEG::JPEG PkgConfig::LIBZIP PkgConfig::NLOPT
  SQLite::SQLite3 Threads::Threads $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

# What every layer is compiled with.
add_library(priorfit_settings INTERFACE)
target_include_directories(priorfit_settings SYSTEM INTERFACE
  ${RANDOM123_INCLUDE_DIR} ${OPENBLAS_INCLUDE_DIR} ${LAPACK_INCLUDE_DIR})
target_compile_options(priorfit_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion "${wrong_warnings_off}")
target_link_libraries(priorfit_settings INTERFACE Eigen3::Eigen ${priorfit_libraries})

target_include_directories(priorfit
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(priorfit PUBLIC cxx_std_20)
target_link_libraries(priorfit PUBLIC Eigen3::Eigen PRIVATE ${priorfit_libraries})

# Every link is made anew, so that a header that changed its layer is not left behind in the old one.
function(priorfit_layer name)
  cmake_parse_arguments(layer "COLD;APART" "" "KNOWS;PUBLIC" ${ARGN})
  set(own_path ${layers_folder}/${name})
  file(REMOVE_RECURSE ${own_path})
  file(MAKE_DIRECTORY ${own_path}/priorfit)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${own_path}/${name} SYMBOLIC)
  foreach(header IN LISTS layer_PUBLIC)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/priorfit/${header}.hpp ${own_path}/priorfit/${header}.hpp SYMBOLIC)
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(priorfit_${name} OBJECT ${sources})
  target_include_directories(priorfit_${name} PUBLIC ${own_path})
  target_link_libraries(priorfit_${name} PRIVATE priorfit_settings)
  if(name STREQUAL support)
    target_precompile_headers(priorfit_${name} PRIVATE ${common_headers})
  else()
    target_precompile_headers(priorfit_${name} REUSE_FROM priorfit_support)
  endif()
  set(cold ${sources})
  if(NOT layer_COLD)
    list(FILTER cold INCLUDE REGEX "(render|report|text|lines|paste[^/]*|json[^/]*)[.]cpp$")
  endif()
  set_source_files_properties(${cold} PROPERTIES COMPILE_OPTIONS "${cold_options}")
  foreach(known IN LISTS layer_KNOWS)
    if(NOT TARGET priorfit_${known})
      message(FATAL_ERROR "src/CMakeLists.txt: ${name} knows ${known}, which is not a layer below it")
    endif()
    target_link_libraries(priorfit_${name} PUBLIC priorfit_${known})
  endforeach()
  if(layer_APART)
    set_target_properties(priorfit_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    target_sources(priorfit PRIVATE $<TARGET_OBJECTS:priorfit_${name}>)
  endif()
  set_property(GLOBAL APPEND PROPERTY PRIORFIT_PUBLIC_HEADERS ${layer_PUBLIC})
  set_property(GLOBAL APPEND PROPERTY PRIORFIT_LAYERS ${name})

  list(JOIN layer_KNOWS ", " knows)
  string(LENGTH ${name} length)
  math(EXPR padding "12 - ${length}")
  string(REPEAT " " ${padding} padding)
  string(STRIP "${name}${padding}${knows}" line)
  set_property(GLOBAL APPEND_STRING PROPERTY PRIORFIT_LAYER_DIAGRAM "    ${line}\n")
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/CMakeLists.txt)
    add_subdirectory(${name})
  endif()
endfunction()

# After the last layer: every public header belongs to one, and what tests/layers reads is written.
function(priorfit_finish_layers)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include/priorfit ${PROJECT_SOURCE_DIR}/include/priorfit/*.hpp)
  get_property(placed GLOBAL PROPERTY PRIORFIT_PUBLIC_HEADERS)
  list(APPEND placed ${umbrella_header})
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "[.]hpp$" "" header ${header})
    if(NOT header IN_LIST placed)
      message(FATAL_ERROR "src/CMakeLists.txt: include/priorfit/${header}.hpp is PUBLIC in no layer")
    endif()
  endforeach()

  get_property(diagram GLOBAL PROPERTY PRIORFIT_LAYER_DIAGRAM)
  file(WRITE ${layers_folder}/diagram.txt "${diagram}")
  get_property(layers GLOBAL PROPERTY PRIORFIT_LAYERS)
  foreach(layer IN LISTS layers)
    string(APPEND paths "${layer}|$<JOIN:$<TARGET_PROPERTY:priorfit_${layer},INCLUDE_DIRECTORIES>,|>\n")
  endforeach()
  file(GENERATE OUTPUT ${layers_folder}/paths.txt CONTENT "${paths}")
endfunction()
