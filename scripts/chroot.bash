# Sourced by determinism and smoke-arm64, after common.bash: a Debian 13 system in a folder, with a copy of the checkout, and
# programs built and run in it.
# shellcheck shell=bash

# Where the system is when nobody says.
# shellcheck disable=SC2034
chroot=/var/cache/beacond/trixie

# Makes the system where it is missing, and copies the checkout as it is now; the build folders of the last run stay, so
# that only changes are compiled.
enter_chroot() {
  [[ $(id -u) == 0 ]] || die "this needs root: it makes and enters a chroot"
  scripts/install-packages build cross-host

  # Made beside its place and moved there, so that a run that was stopped leaves no half system behind.
  if [[ ! -e $chroot/etc/debian_version ]]; then
    echo "Making a Debian 13 system in $chroot"
    local part
    mkdir -p "$(dirname "$chroot")"
    part=$(mktemp -d "$chroot.XXXXXX")
    debootstrap --variant=minbase trixie "$part" >"$part.log" 2>&1 || {
      tail -n 20 "$part.log" >&2
      die "debootstrap failed; its log is $part.log"
    }
    rm "$part.log"
    chmod 755 "$part"
    mv -T "$part" "$chroot"
  fi

  source=$chroot/src/beacond
  mkdir -p "$source"
  find "$source" -mindepth 1 -maxdepth 1 ! -name '.build*' -exec rm -rf {} +
  tar c --exclude='./.build*' --exclude=./.git . | tar x -C "$source"
  cp -L /etc/resolv.conf "$chroot/etc/resolv.conf"
}

# COMMAND...: runs it in the system, in a mount namespace of its own: /proc is gone with the command, whatever becomes of
# this script.
# shellcheck disable=SC2016 # for the inner shell
inside() {
  unshare --mount --propagation private sh -c '
    mount -t proc proc "$0/proc"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$0" "$@"' "$chroot" "$@"
}

# COMMAND...: runs a build, its output on standard error, and prints the last line of it, the program's path.
program_of() {
  local output
  output=$("$@" 2>&1 | tee -a /dev/stderr) && tail -n 1 <<<"$output"
}

# FILE: fails unless it is a program for arm64. 0xb7 is EM_AARCH64 in an ELF header's machine field.
is_arm64() {
  [[ $(od -An -tx1 -j18 -N1 "$1") == *b7 ]] || die "$1 is no arm64 program"
}
