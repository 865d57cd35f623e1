#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds the HIP plugin for NVIDIA's devices, in build/hip_on_nvidia: HIP's headers turn its calls into CUDA's, and the
# kernels are the CUDA plugin's. It proves the host side where there is no device of AMD's; users take the CUDA plugin.
#
#   tools/build_hip_on_nvidia.sh [TARGET ...]      by default lockstep and the plugins
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target="$root/.env/cuda11"
list="$root/tools/hip_on_nvidia_wheels.txt"

if ! cmp -s "$list" "$target/wheels.txt"; then
  mkdir -p "$root/.env"
  work=$(mktemp -d "$root/.env/cuda11-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  python3 -m venv "$work/venv"
  "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --no-deps \
    --require-hashes --only-binary :all: --target "$work/packages" -r "$list"
  toolkit="$work/packages/nvidia/cuda_runtime"
  # cuda_runtime.h needs headers that come with the compiler.
  cp -R "$work/packages/nvidia/cuda_nvcc/include/." "$toolkit/include"
  cp "$list" "$toolkit/wheels.txt"
  chmod 755 "$toolkit"
  rm -rf "$target"
  mv "$toolkit" "$target"
fi
cmake -S "$root" -B "$root/build/hip_on_nvidia" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_TESTS=OFF \
  -DLOCKSTEP_SYCL=OFF -DLOCKSTEP_CUDA=ON -DLOCKSTEP_HIP=ON -DLOCKSTEP_HIP_PLATFORM=NVIDIA \
  -DLOCKSTEP_HIP_CUDA_ROOT="$target"
if [ $# -eq 0 ]; then
  set -- lockstep lockstep_cuda lockstep_hip
fi
cmake --build "$root/build/hip_on_nvidia" --target "$@"
