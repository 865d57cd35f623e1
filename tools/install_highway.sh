#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes Highway's headers of version 1.2 or newer available: the system's, or Debian 13's in .env/highway.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target="$root/.env/highway"
package=libhwy-dev
keyring=/usr/share/keyrings/debian-archive-trixie-automatic.gpg

# True when the headers below $1 are new enough.
is_new_enough() {
  header="$1/hwy/base.h"
  [ -r "$header" ] || return 1
  major=$(sed -n 's/^#define HWY_MAJOR //p' "$header" "$1/hwy/highway.h" | head -n 1)
  minor=$(sed -n 's/^#define HWY_MINOR //p' "$header" "$1/hwy/highway.h" | head -n 1)
  [ "${major:-0}" -gt 1 ] || { [ "${major:-0}" -eq 1 ] && [ "${minor:-0}" -ge 2 ]; }
}

if is_new_enough "$target/usr/include" || is_new_enough /usr/include; then
  exit 0
fi
if [ ! -r "$keyring" ]; then
  echo "install_highway.sh: $keyring is missing; install debian-archive-keyring, or Highway 1.2 or newer" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
echo "deb [signed-by=$keyring] http://deb.debian.org/debian trixie main" > "$work/sources.list"
# A private list and cache, so that neither root nor a change of the system's sources is needed.
private_apt() {
  apt-get -q -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root "$@"
}
private_apt update
(cd "$work" && private_apt download "$package")
dpkg-deb -x "$work"/"$package"_*.deb "$work/prefix"
if ! is_new_enough "$work/prefix/usr/include"; then
  echo "install_highway.sh: the downloaded $package is older than 1.2" >&2
  exit 1
fi
mkdir -p "$root/.env"
rm -rf "$target"
mv "$work/prefix" "$target"
