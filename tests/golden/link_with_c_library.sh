#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Links a `vmaf` that calls glibc's elementary functions instead of our own. libvmaf called those, so against its goldens
# this program must not differ in a single bit: what is left in the real one comes from glibc's rounding alone.
#   tests/golden/link_with_c_library.sh build/release build/check/vmaf_c_library
set -euo pipefail

build="$(readlink -f "$1")"
mkdir -p "$(dirname "$2")"
program="$(readlink -f "$(dirname "$2")")/$(basename "$2")"

cat >"$program.cc" <<'EOF'
#include <cmath>
namespace lockstep::exact {
double Exp(double x) { return ::exp(x); }
double Log(double x) { return ::log(x); }
double Log2(double x) { return ::log2(x); }
double Log10(double x) { return ::log10(x); }
double Pow(double x, double y) { return ::pow(x, y); }
double Sin(double x) { return ::sin(x); }
double Cos(double x) { return ::cos(x); }
double Atan2(double y, double x) { return ::atan2(y, x); }
float Powf(float x, float y) { return ::powf(x, y); }
float Log2f(float x) { return ::log2f(x); }
}
EOF
c++ -O2 -fno-builtin -c "$program.cc" -o "$program.o"
# The command that linked the real program, with our object first.
link="$(ninja -C "$build" -t commands vmaf | tail -n 1)"
link="${link#: && }"
link="${link% && :}"
case "$link" in
  *" -o bin/vmaf "*) ;;
  *) echo "unexpected link command: $link" >&2; exit 1 ;;
esac
cd "$build"
eval "${link/ -o bin\/vmaf / -Wl,--allow-multiple-definition $program.o -o $program }"
