# SPDX-License-Identifier: BSD-2-Clause-Patent
# SYCL: whether its plugin can be built, and the SPIR-V modules that are embedded in it.
#
# LOCKSTEP_SYCL_FOUND        headers and libsycl are there: the plugin is built
# LOCKSTEP_SYCL_COMPILER     libsycl-jit, the compiler as a library, is there and wanted: modules are compiled by this
#                            build; without it the checked-in ones of src/backend/sycl/modules are embedded

set(LOCKSTEP_SYCL AUTO CACHE STRING "The SYCL backend: AUTO (when a SYCL runtime is there), ON or OFF")
set_property(CACHE LOCKSTEP_SYCL PROPERTY STRINGS AUTO ON OFF)
set(LOCKSTEP_SYCL_ROOT ${PROJECT_SOURCE_DIR}/.env/sycl CACHE PATH
  "Where include/sycl and lib/libsycl.so are: what tools/install_sycl.sh installs, or DPC++'s own folder")

option(LOCKSTEP_COMPILE_KERNELS "Compile the SYCL kernels when there is a compiler; OFF: the checked-in modules" ON)

set(LOCKSTEP_SYCL_FOUND OFF)
set(LOCKSTEP_SYCL_COMPILER OFF)
if(NOT LOCKSTEP_SYCL AND NOT LOCKSTEP_SYCL STREQUAL "OFF")
  set(LOCKSTEP_SYCL OFF)
endif()
if(LOCKSTEP_SYCL AND NOT LOCKSTEP_METRICS_ONLY)
  set(sycl_roots ${LOCKSTEP_SYCL_ROOT} $ENV{CMPLR_ROOT} /opt/intel/oneapi/compiler/latest)
  find_path(LOCKSTEP_SYCL_INCLUDE sycl/sycl.hpp PATHS ${sycl_roots} PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
  find_library(LOCKSTEP_SYCL_LIBRARY sycl PATHS ${sycl_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
  find_library(LOCKSTEP_SYCL_JIT sycl-jit PATHS ${sycl_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
  if(LOCKSTEP_SYCL_INCLUDE AND LOCKSTEP_SYCL_LIBRARY)
    set(LOCKSTEP_SYCL_FOUND ON)
    get_filename_component(LOCKSTEP_SYCL_LIB_FOLDER ${LOCKSTEP_SYCL_LIBRARY} DIRECTORY)
    # The CPU device's runtime needs a newer oneTBB than Debian 12's under the same name, and the first one that a
    # process loads serves all of it; our programs load theirs at the start. It is compatible with older callers.
    # Paths are relative, in the build as installed, where lib/sycl may be such a link, or `pip install --prefix` may
    # have filled lib.
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    file(CREATE_LINK ${LOCKSTEP_SYCL_LIB_FOLDER} ${PROJECT_BINARY_DIR}/lib/sycl SYMBOLIC)
    set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
    list(APPEND CMAKE_INSTALL_RPATH $ORIGIN/../lib/sycl $ORIGIN/../lib)
    if(LOCKSTEP_SYCL_JIT AND LOCKSTEP_COMPILE_KERNELS)
      set(LOCKSTEP_SYCL_COMPILER ON)
      message(STATUS "SYCL: ${LOCKSTEP_SYCL_LIB_FOLDER}")
    elseif(LOCKSTEP_SYCL_JIT)
      message(STATUS "SYCL: ${LOCKSTEP_SYCL_LIB_FOLDER}, checked-in kernel modules (LOCKSTEP_COMPILE_KERNELS is OFF)")
    else()
      message(STATUS "SYCL: ${LOCKSTEP_SYCL_LIB_FOLDER}, checked-in kernel modules, because it has no compiler")
    endif()
  elseif(LOCKSTEP_SYCL STREQUAL "AUTO")
    message(STATUS "SYCL: no plugin, because no runtime is in ${LOCKSTEP_SYCL_ROOT} (tools/install_sycl.sh gets one)")
  else()
    message(FATAL_ERROR "LOCKSTEP_SYCL is ON, but neither ${LOCKSTEP_SYCL_ROOT} nor an installed DPC++ has "
      "include/sycl/sycl.hpp and lib/libsycl.so; run tools/install_sycl.sh or set LOCKSTEP_SYCL_ROOT")
  endif()
endif()

if(NOT LOCKSTEP_SYCL_FOUND)
  # Of an earlier configuration: a program would still load it.
  file(REMOVE ${PROJECT_BINARY_DIR}/lib/lockstep/liblockstep_sycl.so ${PROJECT_BINARY_DIR}/lib/sycl)
endif()
if(LOCKSTEP_SYCL_FOUND)
  add_library(lockstep_sycl_runtime INTERFACE)
  target_include_directories(lockstep_sycl_runtime SYSTEM INTERFACE ${LOCKSTEP_SYCL_INCLUDE})
  # The header warns every compiler that is not DPC++; ours only calls the runtime.
  target_compile_definitions(lockstep_sycl_runtime INTERFACE SYCL_DISABLE_FSYCL_SYCLHPP_WARNING)
  target_link_libraries(lockstep_sycl_runtime INTERFACE ${LOCKSTEP_SYCL_LIBRARY})
endif()
if(LOCKSTEP_SYCL_COMPILER)
  # Writes what this build compiled into the source tree.
  add_custom_target(update_kernel_modules)
endif()

# lockstep_kernel_module(metric): its kernels, those of LOCKSTEP_<METRIC>_KERNELS in <metric>_kernels.h, as a module of the
# SYCL plugin.
function(lockstep_kernel_module name)
  if(NOT LOCKSTEP_SYCL_FOUND)
    return()
  endif()
  lockstep_name_module(${name})
  set(sycl_source_folder ${PROJECT_SOURCE_DIR}/src/backend/sycl)
  set(folder ${PROJECT_BINARY_DIR}/kernel_modules)
  set(checked_in ${sycl_source_folder}/modules/${name}.spv)
  if(LOCKSTEP_SYCL_COMPILER)
    set(LOCKSTEP_MODULE_FILE ${folder}/${name}.spv)
    configure_file(${sycl_source_folder}/kernel_module.sycl.in ${folder}/${name}.sycl @ONLY)
    add_custom_command(OUTPUT ${LOCKSTEP_MODULE_FILE}
      COMMAND compile_kernels --headers ${PROJECT_SOURCE_DIR}/src --depend ${folder}/${name}.d
              ${folder}/${name}.sycl ${LOCKSTEP_MODULE_FILE}
      DEPENDS compile_kernels ${folder}/${name}.sycl DEPFILE ${folder}/${name}.d
      COMMENT "Compiling kernel module ${name}" VERBATIM)
    add_custom_target(update_${name}_module
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${LOCKSTEP_MODULE_FILE} ${checked_in}
      DEPENDS ${LOCKSTEP_MODULE_FILE} VERBATIM)
    add_dependencies(update_kernel_modules update_${name}_module)
    if(LOCKSTEP_TESTS)
      # After a failure: the target update_kernel_modules.
      add_test(NAME ${name}_module_is_checked_in
        COMMAND ${CMAKE_COMMAND} -E compare_files ${LOCKSTEP_MODULE_FILE} ${checked_in})
    endif()
  else()
    set(LOCKSTEP_MODULE_FILE ${checked_in})
    if(NOT EXISTS ${checked_in})
      message(FATAL_ERROR "${checked_in} is missing, and there is no SYCL compiler (libsycl-jit) that could make it")
    endif()
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/src/backend/kernel_module.S.in ${folder}/${name}.S @ONLY)
  set_source_files_properties(${folder}/${name}.S PROPERTIES OBJECT_DEPENDS ${LOCKSTEP_MODULE_FILE})
  add_library(lockstep_${name}_module OBJECT ${folder}/${name}.S)
  target_link_libraries(lockstep_sycl PRIVATE lockstep_${name}_module)
endfunction()
