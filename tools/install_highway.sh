#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes Highway's headers of version 1.2 or newer available: the system's, or Debian 13's in .env/highway.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target="$root/.env/highway"
# Last tested: 1.2.0-2+b2. Debian's own updates replace it, so it is not asked for.
package=libhwy-dev
suite=trixie
mirror="${LOCKSTEP_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
keyrings="/usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/debian-archive-keyring.pgp"

fail() {
  cat >&2 <<EOF
install_highway.sh: $1
Lockstep needs the headers of Highway 1.2 or newer (libhwy-dev of Debian 13, or github.com/google/highway). Either
  - repeat this with a connection to $mirror (LOCKSTEP_DEBIAN_MIRROR names another mirror),
  - install them for the whole system, or
  - copy the folder hwy of another machine to $target/usr/include/hwy.
EOF
  exit 1
}

# The figure HWY_$2 of the headers below $1; version 1.0 has it in another file.
figure() {
  sed -n "s/^#define HWY_$2 \([0-9][0-9]*\).*/\1/p" "$1/hwy/base.h" "$1/hwy/highway.h" 2>/dev/null | head -n 1
}

# True when the headers below $1 are new enough.
is_new_enough() {
  major=$(figure "$1" MAJOR)
  minor=$(figure "$1" MINOR)
  [ "${major:-0}" -gt 1 ] || { [ "${major:-0}" -eq 1 ] && [ "${minor:-0}" -ge 2 ]; }
}

for prefix in "$target/usr" /usr/local /usr; do
  if is_new_enough "$prefix/include"; then
    exit 0
  fi
done

for program in apt-get apt-config dpkg-deb; do
  command -v "$program" >/dev/null || fail "$program, which would fetch it, is not installed."
done
keyring=""
for file in $keyrings; do
  if [ -z "$keyring" ] && [ -r "$file" ]; then
    keyring="$file"
  fi
done
[ -n "$keyring" ] || fail "The package debian-archive-keyring, which tells Debian's packages from others, is not installed."

mkdir -p "$root/.env"
work=$(mktemp -d)
fresh=$(mktemp -d "$root/.env/highway-XXXXXX")
trap 'rm -rf "$work" "$fresh"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
# A configuration of its own with the system's proxies and nothing else of it: no root, no change of the system's
# package lists, no hooks, no pins.
{
  apt-config dump | grep -E '^Acquire::(http|https|ForceIPv4|ForceIPv6)\b' || true
  cat <<EOF
Acquire::Retries "3";
Acquire::Languages "none";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
EOF
} >"$work/apt.conf"

fetch() {
  cd "$work"
  export APT_CONFIG="$work/apt.conf"
  apt-get -q update && apt-get -q download "$package"
}
if ! (fetch) >"$work/log" 2>&1; then
  tail -n 12 "$work/log" >&2
  fail "Debian's package $package could not be downloaded."
fi
dpkg-deb -x "$work"/"$package"_*.deb "$fresh"
is_new_enough "$fresh/usr/include" || fail "The downloaded $package is older than 1.2."
# mktemp's folders are for one user only; others may build here, too.
chmod 755 "$fresh"
rm -rf "$target"
mv "$fresh" "$target"
echo "Highway $(figure "$target/usr/include" MAJOR).$(figure "$target/usr/include" MINOR) is in $target"
