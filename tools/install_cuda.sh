#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes a CUDA compiler available in .env/cuda: PyPI's packages of cuda_wheels.txt. A driver is not part of it.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target="$root/.env/cuda"
list="$root/tools/cuda_wheels.txt"

fail() {
  cat >&2 <<EOF
install_cuda.sh: $1
Lockstep's CUDA backend needs nvcc 13 and cuda.h. Either
  - repeat this with python3-venv installed and a connection to a Python package index (pip's own settings and
    variables name another one),
  - build with -DLOCKSTEP_CUDA_ROOT=FOLDER, where an installed CUDA toolkit has bin/nvcc and include/cuda.h, or
  - build without the backend: -DLOCKSTEP_CUDA=OFF.
EOF
  exit 1
}

# shellcheck source=tools/wheel_folder.sh
. "$root/tools/wheel_folder.sh"

stop_where_installed
echo "Fetching a CUDA compiler (106 MB)"
fetch_wheels --target
# The packages share one folder, laid out as a toolkit is.
move_to_target "$work/packages/nvidia/cu13" bin/nvcc bin/ptxas bin/fatbinary bin/cuobjdump bin/nvdisasm nvvm/bin/cicc \
  include/cuda.h include/crt/host_config.h lib/libcudart_static.a
echo "CUDA $(sed -n 's/^nvidia-cuda-nvcc==\([0-9.]*\).*/\1/p' "$list") is in $target"
