#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes a SYCL runtime available in .env/sycl: PyPI's packages of sycl_wheels.txt, for the build and for the CPU device.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target="$root/.env/sycl"
list="$root/tools/sycl_wheels.txt"

fail() {
  cat >&2 <<EOF
install_sycl.sh: $1
Lockstep's SYCL backend needs DPC++'s headers and libsycl, its CPU device intel-opencl-rt. Either
  - repeat this with python3-venv installed and a connection to a Python package index (pip's own settings and
    variables name another one),
  - build with -DLOCKSTEP_SYCL_ROOT=FOLDER, where an installed DPC++ has include/sycl and lib/libsycl.so, or
  - build without the backend: -DLOCKSTEP_SYCL=OFF.
EOF
  exit 1
}

# shellcheck source=tools/wheel_folder.sh
. "$root/tools/wheel_folder.sh"

stop_where_installed
echo "Fetching a SYCL runtime (460 MB)"
fetch_wheels --prefix
move_to_target "$work/packages" include/sycl/sycl.hpp lib/libsycl.so lib/libsycl-jit.so lib/libintelocl.so
echo "SYCL $(sed -n 's/^intel-sycl-rt==\([0-9.]*\).*/\1/p' "$list") is in $target"
