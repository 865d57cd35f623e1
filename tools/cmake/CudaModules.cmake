# SPDX-License-Identifier: BSD-2-Clause-Patent
# CUDA: whether its plugin can be built, and the fat binaries that are embedded in it.
#
# LOCKSTEP_CUDA_FOUND        nvcc and cuda.h are there: the plugin is built

set(LOCKSTEP_CUDA AUTO CACHE STRING "The CUDA backend: AUTO (when nvcc is there), ON or OFF")
set_property(CACHE LOCKSTEP_CUDA PROPERTY STRINGS AUTO ON OFF)
set(LOCKSTEP_CUDA_ROOT ${PROJECT_SOURCE_DIR}/.env/cuda CACHE PATH
  "Where bin/nvcc and include/cuda.h are: what tools/install_cuda.sh installs, or a CUDA toolkit's own folder")
set(LOCKSTEP_CUDA_ARCHITECTURES 75;80;86;89;90;100 CACHE STRING
  "Compute capabilities that get machine code; the first and the last also get PTX, which serves newer devices")

set(LOCKSTEP_CUDA_FOUND OFF)
if(NOT LOCKSTEP_CUDA AND NOT LOCKSTEP_CUDA STREQUAL "OFF")
  set(LOCKSTEP_CUDA OFF)
endif()
if(LOCKSTEP_CUDA AND NOT LOCKSTEP_METRICS_ONLY)
  set(cuda_roots ${LOCKSTEP_CUDA_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
  find_program(LOCKSTEP_NVCC nvcc PATHS ${cuda_roots} PATH_SUFFIXES bin NO_DEFAULT_PATH NO_CACHE)
  find_program(LOCKSTEP_NVCC nvcc NO_CACHE)
  if(LOCKSTEP_NVCC)
    # nvcc on the path may be a link into the toolkit.
    file(REAL_PATH ${LOCKSTEP_NVCC} nvcc_file)
    get_filename_component(nvcc_folder ${nvcc_file} DIRECTORY)
    find_path(LOCKSTEP_CUDA_INCLUDE cuda.h PATHS ${nvcc_folder}/.. ${nvcc_folder}/../targets/x86_64-linux ${cuda_roots}
      PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
  endif()
  if(LOCKSTEP_NVCC AND LOCKSTEP_CUDA_INCLUDE)
    set(LOCKSTEP_CUDA_FOUND ON)
    message(STATUS "CUDA: ${LOCKSTEP_NVCC}")
  elseif(LOCKSTEP_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA: no plugin, because no nvcc is in ${LOCKSTEP_CUDA_ROOT} or on the path (tools/install_cuda.sh gets one)")
  else()
    message(FATAL_ERROR "LOCKSTEP_CUDA is ON, but neither ${LOCKSTEP_CUDA_ROOT} nor an installed CUDA toolkit has "
      "bin/nvcc and include/cuda.h; run tools/install_cuda.sh or set LOCKSTEP_CUDA_ROOT")
  endif()
endif()

if(LOCKSTEP_CUDA_FOUND)
  add_library(lockstep_cuda_headers INTERFACE)
  target_include_directories(lockstep_cuda_headers SYSTEM INTERFACE ${LOCKSTEP_CUDA_INCLUDE})
  # CUDA 12 came to know 10.0 with 12.8.
  execute_process(COMMAND ${LOCKSTEP_NVCC} --list-gpu-code OUTPUT_VARIABLE cuda_known)
  set(cuda_code "")
  set(cuda_architectures "")
  foreach(architecture ${LOCKSTEP_CUDA_ARCHITECTURES})
    if(cuda_known MATCHES "sm_${architecture}\n")
      list(APPEND cuda_architectures ${architecture})
      list(APPEND cuda_code -gencode=arch=compute_${architecture},code=sm_${architecture})
    else()
      message(WARNING "CUDA: ${LOCKSTEP_NVCC} knows no sm_${architecture}, which the plugin will have no code for")
    endif()
  endforeach()
  if(NOT cuda_architectures)
    message(FATAL_ERROR "${LOCKSTEP_NVCC} knows none of LOCKSTEP_CUDA_ARCHITECTURES (${LOCKSTEP_CUDA_ARCHITECTURES})")
  endif()
  list(GET cuda_architectures 0 oldest)
  list(GET cuda_architectures -1 newest)
  foreach(architecture ${oldest} ${newest})
    list(APPEND cuda_code -gencode=arch=compute_${architecture},code=compute_${architecture})
  endforeach()
  list(REMOVE_DUPLICATES cuda_code)
else()
  # Of an earlier configuration: a program would still load it.
  file(REMOVE ${PROJECT_BINARY_DIR}/lib/lockstep/liblockstep_cuda.so)
endif()

# lockstep_cuda_module(metric): its kernels, those of LOCKSTEP_<METRIC>_KERNELS in <metric>_kernels.h and those of
# <metric>_cuda_kernels.cuh where there is one, as a module of the CUDA plugin. cuda_modules/<metric>.log has what the
# assembler says of registers and stack, cuda_modules/<metric>.fatbin the code.
function(lockstep_cuda_module name)
  if(NOT LOCKSTEP_CUDA_FOUND)
    return()
  endif()
  lockstep_name_module(${name})
  set(LOCKSTEP_TUNED_INCLUDE "")
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/features/${name}/${name}_cuda_kernels.cuh)
    set(LOCKSTEP_TUNED_INCLUDE "#include \"features/${name}/${name}_cuda_kernels.cuh\"")
  endif()
  set(folder ${PROJECT_BINARY_DIR}/cuda_modules)
  set(LOCKSTEP_MODULE_FILE ${folder}/${name}.fatbin)
  configure_file(${PROJECT_SOURCE_DIR}/src/backend/cuda/kernel_module.cu.in ${folder}/${name}.cu @ONLY)
  add_custom_command(OUTPUT ${LOCKSTEP_MODULE_FILE}
    COMMAND ${CMAKE_COMMAND} -DLOG=${folder}/${name}.log -P ${PROJECT_SOURCE_DIR}/tools/cmake/RunLogged.cmake --
            ${LOCKSTEP_NVCC} -fatbin -std=c++17 -fmad=false -Xptxas -v --threads 2
            -ccbin ${CMAKE_CXX_COMPILER} -I ${PROJECT_SOURCE_DIR}/src ${cuda_code}
            -MD -MF ${folder}/${name}.d -MT ${LOCKSTEP_MODULE_FILE} ${folder}/${name}.cu -o ${LOCKSTEP_MODULE_FILE}
    DEPENDS ${folder}/${name}.cu DEPFILE ${folder}/${name}.d
    COMMENT "Compiling CUDA module ${name}" VERBATIM)
  configure_file(${PROJECT_SOURCE_DIR}/src/backend/kernel_module.S.in ${folder}/${name}.S @ONLY)
  set_source_files_properties(${folder}/${name}.S PROPERTIES OBJECT_DEPENDS ${LOCKSTEP_MODULE_FILE})
  add_library(lockstep_${name}_cuda_module OBJECT ${folder}/${name}.S)
  target_link_libraries(lockstep_cuda PRIVATE lockstep_${name}_cuda_module)
endfunction()
