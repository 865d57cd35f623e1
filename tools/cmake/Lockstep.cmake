# SPDX-License-Identifier: BSD-2-Clause-Patent
# How rooms, tests, benchmarks and fuzz targets are declared.

add_library(lockstep_flags INTERFACE)
target_compile_features(lockstep_flags INTERFACE cxx_std_20)
target_include_directories(lockstep_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# Contraction would change the bits of every float sum; errno handling would call libm for sqrt.
target_compile_options(lockstep_flags INTERFACE -ffp-contract=off -fno-fast-math -fno-math-errno
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wcast-align -Werror
  # GCC 12 takes two adjacent double -> float -> double conversions for no operation when it pairs them as a vector, and
  # the rounding to binary32 is lost. src/base/compiler_test.cc fails without this.
  # Its overflow warning also misjudges fmt's headers at -O3.
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)

# lockstep_vector_sources(files...): sources that are compiled once for each instruction set. They are thousands of inlined
# calls with registers as temporaries, and the address sanitizer takes minutes to watch the scope of each.
function(lockstep_vector_sources)
  set(options)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
    list(APPEND options -fno-sanitize-address-use-after-scope)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()

# lockstep_room(NAME [SOURCES files...] [DEPENDS rooms...] [LIBRARIES libs...])
# A static library lockstep_NAME from SOURCES, by default the folder's *.cc without tests, benchmarks and fuzz targets.
function(lockstep_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
    list(FILTER ARG_SOURCES EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  endif()
  set(vector_sources ${ARG_SOURCES})
  list(FILTER vector_sources INCLUDE REGEX "_simd[_a-z0-9]*\\.cc$")
  lockstep_vector_sources(${vector_sources})
  list(TRANSFORM ARG_DEPENDS PREPEND lockstep_)
  if(ARG_SOURCES)
    add_library(lockstep_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(lockstep_${name} PUBLIC lockstep_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
    set_target_properties(lockstep_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(lockstep_${name} INTERFACE)
    target_link_libraries(lockstep_${name} INTERFACE lockstep_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
  endif()
endfunction()

# lockstep_test(ROOM file [NAME name] [LIBRARIES libs...]): one GoogleTest program, by default named like the file.
function(lockstep_test room file)
  if(NOT LOCKSTEP_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME" "LIBRARIES" ${ARGN})
  get_filename_component(stem ${file} NAME_WE)
  if(ARG_NAME)
    set(stem ${ARG_NAME})
  endif()
  add_executable(${stem} ${file})
  target_link_libraries(${stem} PRIVATE lockstep_${room} ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${stem} PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  foreach(plugin lockstep_ffmpeg lockstep_sycl lockstep_cuda lockstep_hip)
    if(TARGET ${plugin})
      add_dependencies(${stem} ${plugin})
    endif()
  endforeach()
  add_test(NAME ${stem} COMMAND ${stem})
  set_tests_properties(${stem} PROPERTIES TIMEOUT 900)
endfunction()

# lockstep_gpu_test(ROOM file [LIBRARIES libs...]): a test that needs an NVIDIA device and fails without one; ctest does not
# run it, tools/gpu_proof does.
function(lockstep_gpu_test room file)
  if(NOT LOCKSTEP_TESTS OR NOT LOCKSTEP_CUDA_FOUND)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  get_filename_component(stem ${file} NAME_WE)
  add_executable(${stem} ${file})
  target_link_libraries(${stem} PRIVATE lockstep_${room} ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main)
  set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/gpu_test)
  add_dependencies(${stem} lockstep_cuda)
endfunction()

# lockstep_name_module(metric): in the caller, what the templates of kernel modules are filled with.
macro(lockstep_name_module name)
  set(LOCKSTEP_MODULE ${name})
  set(LOCKSTEP_MODULE_HEADER features/${name}/${name}_kernels.h)
  string(TOUPPER LOCKSTEP_${name}_KERNELS LOCKSTEP_MODULE_LIST)
endmacro()

function(lockstep_bench room file)
  if(NOT LOCKSTEP_BENCHMARKS)
    return()
  endif()
  get_filename_component(stem ${file} NAME_WE)
  add_executable(${stem} ${file})
  target_link_libraries(${stem} PRIVATE lockstep_${room} benchmark::benchmark)
  set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()

# lockstep_fuzz(ROOM file): one libFuzzer program in build/fuzz/fuzz/.
function(lockstep_fuzz room file)
  if(NOT LOCKSTEP_FUZZ)
    return()
  endif()
  get_filename_component(stem ${file} NAME_WE)
  add_executable(${stem} ${file})
  target_link_libraries(${stem} PRIVATE lockstep_${room})
  target_compile_definitions(${stem} PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_options(${stem} PRIVATE -fsanitize=fuzzer,address,undefined)
  set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()
