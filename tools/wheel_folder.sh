# SPDX-License-Identifier: BSD-2-Clause-Patent
# shellcheck shell=sh disable=SC2154  # the caller sets root, target and list
# For tools/install_*.sh, which source it: PyPI's packages of a list with hashes, in a folder of .env.
# The caller has $root, $target and $list, and fail(), which says what to do and ends the script.

# Ends the script when the target is what the list says.
stop_where_installed() {
  if cmp -s "$list" "$target/wheels.txt"; then
    exit 0
  fi
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) ;;
    *) fail "PyPI's packages are for Linux on x86-64, which this machine is not." ;;
  esac
  command -v python3 >/dev/null || fail "python3, which would fetch it, is not installed."
}

# fetch_wheels OPTION: into $work/packages, by pip's --prefix or --target.
fetch_wheels() {
  mkdir -p "$root/.env"
  # Beside the target: packages take more than some temporary folders hold.
  work=$(mktemp -d "$target-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # A pip of its own: the system's puts things elsewhere, and may be none or old.
  python3 -m venv "$work/venv" >"$work/log" 2>&1 || {
    tail -n 12 "$work/log" >&2
    fail "Python's venv (Debian's package python3-venv) does not work."
  }
  if ! "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile --no-deps \
    --require-hashes --only-binary :all: "$1" "$work/packages" -r "$list" >"$work/log" 2>&1; then
    tail -n 12 "$work/log" >&2
    fail "The packages could not be installed."
  fi
}

# move_to_target FOLDER FILE...: FOLDER of the packages, which must have the files.
move_to_target() {
  folder="$1"
  shift
  for file in "$@"; do
    [ -e "$folder/$file" ] || fail "The packages have no $file."
  done
  cp "$list" "$folder/wheels.txt"
  # mktemp's folders are for one user only; others may build here, too.
  chmod 755 "$folder"
  rm -rf "$target"
  mv "$folder" "$target"
}
