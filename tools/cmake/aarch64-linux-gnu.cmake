# SPDX-License-Identifier: BSD-2-Clause-Patent
# Toolchain: 64-bit Arm with Debian's cross compiler; programs run under QEMU's user emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

find_program(LOCKSTEP_ARM_COMPILER aarch64-linux-gnu-g++)
find_program(LOCKSTEP_ARM_C_COMPILER aarch64-linux-gnu-gcc)
find_program(LOCKSTEP_ARM_EMULATOR NAMES qemu-aarch64-static qemu-aarch64)
if(NOT LOCKSTEP_ARM_COMPILER OR NOT LOCKSTEP_ARM_EMULATOR)
  message(FATAL_ERROR "The NEON tests need aarch64-linux-gnu-g++ and qemu-aarch64-static: run "
                      "tools/install_packages.sh test, or install g++-aarch64-linux-gnu and qemu-user-static")
endif()
# GoogleTest asks for C as well.
set(CMAKE_C_COMPILER ${LOCKSTEP_ARM_C_COMPILER})
set(CMAKE_CXX_COMPILER ${LOCKSTEP_ARM_COMPILER})
set(CMAKE_ASM_COMPILER ${LOCKSTEP_ARM_COMPILER})
set(CMAKE_CROSSCOMPILING_EMULATOR ${LOCKSTEP_ARM_EMULATOR} -L /usr/aarch64-linux-gnu)

# The build machine's libraries are of no use to the target.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
