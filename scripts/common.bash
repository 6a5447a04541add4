# Sourced by the other scripts: the repository's folder, the Swift to use, and how messages look.
# shellcheck shell=bash

script=$(realpath "$0")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit

# Where a toolchain outside Debian is commonly unpacked; used only when PATH has no swift.
if ! command -v swift >/dev/null && [[ -x /opt/swift/usr/bin/swift ]]; then
  PATH=$PATH:/opt/swift/usr/bin
fi

# What a script that cannot do its work on this machine exits with (automake's number for a skipped test).
# shellcheck disable=SC2034
readonly exit_skipped=77

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Prints the comment block at the top of the calling script.
usage() {
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$script"
}

# The package names in one section of packages.txt.
packages() {
  awk -v tag="[$1]" '/^\[/ { inside = $1 == tag; next } inside && NF && !/^#/ { print $1 }' "$root/scripts/packages.txt"
}
