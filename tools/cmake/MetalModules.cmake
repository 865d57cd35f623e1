# SPDX-License-Identifier: BSD-2-Clause-Patent
# Metal: the plugin for Apple's devices. Written, never run; nobody has built it with Metal's headers either.

option(LOCKSTEP_METAL "The Metal backend, on Apple's systems only (written, never run)" OFF)
set(LOCKSTEP_METAL_CPP "" CACHE PATH "Apple's metal-cpp: the folder with Metal/Metal.hpp")

set(LOCKSTEP_METAL_FOUND OFF)
if(LOCKSTEP_METAL AND NOT LOCKSTEP_METRICS_ONLY)
  if(NOT APPLE)
    message(FATAL_ERROR "LOCKSTEP_METAL is ON, but only Apple's systems have Metal")
  endif()
  find_path(LOCKSTEP_METAL_INCLUDE Metal/Metal.hpp PATHS ${LOCKSTEP_METAL_CPP} NO_CACHE)
  find_package(Python3 COMPONENTS Interpreter)
  if(NOT LOCKSTEP_METAL_INCLUDE OR NOT Python3_FOUND)
    message(FATAL_ERROR "LOCKSTEP_METAL is ON, but there is no metal-cpp in LOCKSTEP_METAL_CPP, or no Python 3")
  endif()
  set(LOCKSTEP_METAL_FOUND ON)
endif()

# lockstep_metal_modules(metrics...): their kernels, those of LOCKSTEP_<METRIC>_KERNELS in <metric>_kernels.h, as sources
# in the Metal plugin; the driver compiles them.
function(lockstep_metal_modules)
  if(NOT LOCKSTEP_METAL_FOUND)
    return()
  endif()
  set(table ${PROJECT_BINARY_DIR}/metal_modules/metal_sources.cc)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/metal_modules)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/features/*.h)
  add_custom_command(OUTPUT ${table}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/make_metal_source.py --table ${table} ${ARGN}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/make_metal_source.py ${PROJECT_SOURCE_DIR}/src/base/kernel_prelude.h
      ${PROJECT_SOURCE_DIR}/src/exact/soft_binary64.h ${PROJECT_SOURCE_DIR}/src/backend/metal/copy_kernels.metal
      ${PROJECT_SOURCE_DIR}/src/backend/metal/kernel_module.metal.in ${headers}
    COMMENT "Making Metal's sources" VERBATIM)
  add_library(lockstep_metal_sources OBJECT ${table})
  target_link_libraries(lockstep_metal_sources PRIVATE lockstep_flags)
  target_link_libraries(lockstep_metal PRIVATE lockstep_metal_sources)
endfunction()
