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

if cmp -s "$list" "$target/wheels.txt"; then
  exit 0
fi
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) ;;
  *) fail "The packages are for Linux on x86-64, which this machine is not." ;;
esac
command -v python3 >/dev/null || fail "python3, which would fetch it, is not installed."

echo "Fetching a CUDA compiler (106 MB)"
mkdir -p "$root/.env"
work=$(mktemp -d "$root/.env/cuda-XXXXXX")
trap 'rm -rf "$work"' EXIT
# A pip of its own: the system's puts things elsewhere, and may be none or old.
python3 -m venv "$work/venv" >"$work/log" 2>&1 || {
  tail -n 12 "$work/log" >&2
  fail "Python's venv (Debian's package python3-venv) does not work."
}
if ! "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --no-deps \
  --require-hashes --only-binary :all: --target "$work/packages" -r "$list" >"$work/log" 2>&1; then
  tail -n 12 "$work/log" >&2
  fail "The packages could not be installed."
fi
# The packages share one folder, laid out as a toolkit is.
toolkit="$work/packages/nvidia/cu13"
for file in bin/nvcc bin/ptxas bin/fatbinary bin/cuobjdump bin/nvdisasm nvvm/bin/cicc include/cuda.h \
  include/crt/host_config.h lib/libcudart_static.a; do
  [ -e "$toolkit/$file" ] || fail "The packages have no $file."
done
cp "$list" "$toolkit/wheels.txt"
# mktemp's folders are for one user only; others may build here, too.
chmod 755 "$toolkit"
rm -rf "$target"
mv "$toolkit" "$target"
echo "CUDA $(sed -n 's/^nvidia-cuda-nvcc==\([0-9.]*\).*/\1/p' "$list") is in $target"
