#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs the Debian packages of the given purposes (see debian_packages.txt), and only those that are missing.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: tools/install_packages.sh build|test ..." >&2
  exit 2
fi
list="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/debian_packages.txt"

missing=()
for purpose in "$@"; do
  while read -r kind package _; do
    if [ "$kind" = "$purpose" ]; then
      missing+=("$package")
    fi
  done <"$list"
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "no packages are listed for: $*" >&2
  exit 2
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is not a Debian system; please have these packages' counterparts ready: ${missing[*]}" >&2
  exit 0
fi

wanted=("${missing[@]}")
missing=()
for package in "${wanted[@]}"; do
  state="$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | sort -u || true)"
  if ! grep -qx installed <<<"$state"; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These Debian packages are missing and neither root nor sudo is there to install them: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
  if [ -n "${CI:-}" ]; then
    as_root=(sudo -n)
  fi
fi

echo "Installing Debian packages: ${missing[*]}"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
if ! { { "${as_root[@]}" "${apt[@]}" update || true; } &&
       "${as_root[@]}" "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
  tail -n 20 "$log" >&2
  echo "apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
