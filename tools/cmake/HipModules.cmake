# SPDX-License-Identifier: BSD-2-Clause-Patent
# HIP: whether its plugin can be built, and the code objects that are embedded in it.
#
# LOCKSTEP_HIP_FOUND   HIP's headers, its runtime and a Clang for AMD's graphics processors are there

set(LOCKSTEP_HIP AUTO CACHE STRING "The HIP backend: AUTO (when HIP's headers and a Clang for it are there), ON or OFF")
set_property(CACHE LOCKSTEP_HIP PROPERTY STRINGS AUTO ON OFF)
set(LOCKSTEP_HIP_TARGETS gfx1030 gfx1100 gfx90a CACHE STRING "AMD architectures that the HIP plugin has kernels for")
set(LOCKSTEP_HIP_ROOT /opt/rocm CACHE PATH "ROCm's folder, where the system itself has no HIP")

# Proof that the host side works, on a machine with NVIDIA's devices: HIP's calls become CUDA's, the kernels are the
# CUDA plugin's. Not for users, who have the CUDA plugin.
set(LOCKSTEP_HIP_PLATFORM AMD CACHE STRING "AMD, or NVIDIA for a proof of the host side through HIP's NVIDIA headers")
set_property(CACHE LOCKSTEP_HIP_PLATFORM PROPERTY STRINGS AMD NVIDIA)
set(LOCKSTEP_HIP_CUDA_ROOT "" CACHE PATH "For NVIDIA: a CUDA 11 toolkit, the last that HIP 5.2 knows")

set(LOCKSTEP_HIP_FOUND OFF)
if(NOT LOCKSTEP_HIP AND NOT LOCKSTEP_HIP STREQUAL "OFF")
  set(LOCKSTEP_HIP OFF)
endif()
if(LOCKSTEP_HIP AND NOT LOCKSTEP_METRICS_ONLY)
  # Debian's clang-15, or ROCm's own; Debian's plain clang is too old for gfx1100.
  find_program(LOCKSTEP_HIP_CLANG NAMES clang-15 NO_CACHE)
  find_program(LOCKSTEP_HIP_CLANG NAMES clang PATHS ${LOCKSTEP_HIP_ROOT}/llvm/bin NO_DEFAULT_PATH NO_CACHE)
  find_program(LOCKSTEP_HIP_LLD NAMES ld.lld-15 NO_CACHE)
  find_program(LOCKSTEP_HIP_LLD NAMES ld.lld PATHS ${LOCKSTEP_HIP_ROOT}/llvm/bin NO_DEFAULT_PATH NO_CACHE)
  find_path(LOCKSTEP_HIP_INCLUDE hip/hip_runtime_api.h PATHS ${LOCKSTEP_HIP_ROOT}/include NO_CACHE)
  if(LOCKSTEP_HIP_PLATFORM STREQUAL "NVIDIA")
    find_path(LOCKSTEP_HIP_CUDA_INCLUDE cuda_runtime_api.h PATHS ${LOCKSTEP_HIP_CUDA_ROOT}/include NO_DEFAULT_PATH NO_CACHE)
    find_library(LOCKSTEP_HIP_LIBRARY NAMES cudart libcudart.so.11.0 PATHS ${LOCKSTEP_HIP_CUDA_ROOT}/lib NO_DEFAULT_PATH
      NO_CACHE)
    find_library(LOCKSTEP_HIP_DRIVER cuda PATHS /usr/local/cuda PATH_SUFFIXES lib/stubs lib64/stubs NO_CACHE)
  else()
    find_library(LOCKSTEP_HIP_LIBRARY amdhip64 PATHS ${LOCKSTEP_HIP_ROOT}/lib NO_CACHE)
  endif()
  set(hip_missing "")
  if(NOT LOCKSTEP_HIP_CLANG)
    list(APPEND hip_missing "the compiler (Debian: clang-15)")
  endif()
  if(NOT LOCKSTEP_HIP_LLD)
    list(APPEND hip_missing "its linker (Debian: lld-15)")
  endif()
  if(NOT LOCKSTEP_HIP_INCLUDE)
    list(APPEND hip_missing "hip/hip_runtime_api.h (Debian: libamdhip64-dev)")
  endif()
  if(NOT LOCKSTEP_HIP_LIBRARY)
    list(APPEND hip_missing "libamdhip64.so (Debian: libamdhip64-dev)")
  endif()
  list(JOIN hip_missing ", " hip_missing)
  if(NOT hip_missing)
    set(LOCKSTEP_HIP_FOUND ON)
    list(JOIN LOCKSTEP_HIP_TARGETS ", " hip_targets)
    message(STATUS "HIP: ${LOCKSTEP_HIP_LIBRARY}, kernels for ${hip_targets} by ${LOCKSTEP_HIP_CLANG}")
  elseif(LOCKSTEP_HIP STREQUAL "AUTO")
    message(STATUS "HIP: no plugin, because there is no: ${hip_missing}")
  else()
    message(FATAL_ERROR "LOCKSTEP_HIP is ON, but there is no: ${hip_missing}; install it or set LOCKSTEP_HIP_ROOT")
  endif()
endif()

if(NOT LOCKSTEP_HIP_FOUND)
  # Of an earlier configuration: a program would still load it.
  file(REMOVE ${PROJECT_BINARY_DIR}/lib/lockstep/liblockstep_hip.so)
endif()
if(LOCKSTEP_HIP_FOUND)
  get_filename_component(LOCKSTEP_HIP_LIB_FOLDER ${LOCKSTEP_HIP_LIBRARY} DIRECTORY)
  add_library(lockstep_hip_runtime INTERFACE)
  target_include_directories(lockstep_hip_runtime SYSTEM INTERFACE ${LOCKSTEP_HIP_INCLUDE})
  if(LOCKSTEP_HIP_PLATFORM STREQUAL "NVIDIA")
    target_include_directories(lockstep_hip_runtime SYSTEM INTERFACE ${LOCKSTEP_HIP_CUDA_INCLUDE})
    target_compile_definitions(lockstep_hip_runtime INTERFACE __HIP_PLATFORM_NVIDIA__)
    target_compile_options(lockstep_hip_runtime INTERFACE -include ${PROJECT_SOURCE_DIR}/src/backend/hip/nvidia_headers.h
      -Wno-error=deprecated-declarations)
    target_link_libraries(lockstep_hip_runtime INTERFACE ${LOCKSTEP_HIP_LIBRARY} ${LOCKSTEP_HIP_DRIVER})
  else()
    target_compile_definitions(lockstep_hip_runtime INTERFACE __HIP_PLATFORM_AMD__)
    target_link_libraries(lockstep_hip_runtime INTERFACE ${LOCKSTEP_HIP_LIBRARY})
  endif()
endif()

# lockstep_hip_module(metric): its kernels, those of LOCKSTEP_<METRIC>_KERNELS in <metric>_kernels.h, as one code object
# for each architecture, hip_modules/<metric>.<architecture>.co, in the HIP plugin.
function(lockstep_hip_module name)
  if(NOT LOCKSTEP_HIP_FOUND)
    return()
  endif()
  if(LOCKSTEP_HIP_PLATFORM STREQUAL "NVIDIA")
    # The CUDA plugin's code.
    target_link_libraries(lockstep_hip PRIVATE lockstep_${name}_cuda_module)
    return()
  endif()
  lockstep_name_module(${name})
  set(folder ${PROJECT_BINARY_DIR}/hip_modules)
  set(hip_source_folder ${PROJECT_SOURCE_DIR}/src/backend/hip)
  configure_file(${hip_source_folder}/kernel_module.hip.in ${folder}/${name}.hip @ONLY)
  set(begin lockstep_${name}_begin)
  set(files "")
  set(LOCKSTEP_BUNDLE_ENTRIES "")
  set(LOCKSTEP_BUNDLE_PARTS "")
  list(LENGTH LOCKSTEP_HIP_TARGETS LOCKSTEP_BUNDLE_COUNT)
  math(EXPR LOCKSTEP_BUNDLE_COUNT "${LOCKSTEP_BUNDLE_COUNT} + 1")
  foreach(target ${LOCKSTEP_HIP_TARGETS})
    set(file ${folder}/${name}.${target}.co)
    # Without ROCm's headers and device libraries: kernels use neither.
    add_custom_command(OUTPUT ${file}
      COMMAND ${LOCKSTEP_HIP_CLANG} -x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output
              --offload-arch=${target} -std=c++17 -O3 -ffp-contract=off -Wall -Wextra -Werror
              -I ${PROJECT_SOURCE_DIR}/src -MD -MF ${file}.d -MT ${file} ${folder}/${name}.hip -o ${file}
      DEPENDS ${folder}/${name}.hip DEPFILE ${file}.d
      COMMENT "Compiling HIP module ${name} for ${target}" VERBATIM)
    list(APPEND files ${file})
    set(id hipv4-amdgcn-amd-amdhsa--${target})
    string(LENGTH ${id} length)
    set(part lockstep_${name}_${target})
    string(APPEND LOCKSTEP_BUNDLE_ENTRIES
      "  .quad ${part} - ${begin}, ${part}_end - ${part}, ${length}\n  .ascii \"${id}\"\n")
    string(APPEND LOCKSTEP_BUNDLE_PARTS "  .balign 4096\n${part}:\n  .incbin \"${file}\"\n${part}_end:\n")
  endforeach()
  configure_file(${hip_source_folder}/code_object.S.in ${folder}/${name}.S @ONLY)
  set_source_files_properties(${folder}/${name}.S PROPERTIES OBJECT_DEPENDS "${files}")
  add_library(lockstep_${name}_hip_module OBJECT ${folder}/${name}.S)
  target_link_libraries(lockstep_hip PRIVATE lockstep_${name}_hip_module)
endfunction()
