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

if cmp -s "$list" "$target/wheels.txt"; then
  exit 0
fi
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) ;;
  *) fail "PyPI's packages are for Linux on x86-64, which this machine is not." ;;
esac
command -v python3 >/dev/null || fail "python3, which would fetch it, is not installed."

echo "Fetching a SYCL runtime (460 MB)"
mkdir -p "$root/.env"
# Beside the target: the packages take 1.5 GB, more than some temporary folders hold.
work=$(mktemp -d "$root/.env/sycl-XXXXXX")
trap 'rm -rf "$work"' EXIT
# A pip of its own: the system's puts things elsewhere, and may be none or old.
python3 -m venv "$work/venv" >"$work/log" 2>&1 || {
  tail -n 12 "$work/log" >&2
  fail "Python's venv (Debian's package python3-venv) does not work."
}
if ! "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --no-deps \
  --require-hashes --only-binary :all: --prefix "$work/sycl" -r "$list" >"$work/log" 2>&1; then
  tail -n 12 "$work/log" >&2
  fail "The packages could not be installed."
fi
for file in include/sycl/sycl.hpp lib/libsycl.so lib/libsycl-jit.so lib/libintelocl.so; do
  [ -e "$work/sycl/$file" ] || fail "The packages have no $file."
done
cp "$list" "$work/sycl/wheels.txt"
# mktemp's folders are for one user only; others may build here, too.
chmod 755 "$work/sycl"
rm -rf "$target"
mv "$work/sycl" "$target"
echo "SYCL $(sed -n 's/^intel-sycl-rt==\([0-9.]*\).*/\1/p' "$list") is in $target"
