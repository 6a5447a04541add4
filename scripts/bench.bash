# Sourced by bench and instructions, after common.bash: programs and captures in .build-bench, made where they are missing.
# shellcheck shell=bash

# shellcheck disable=SC2154  # root is common.bash's
bench=$root/.build-bench
mkdir -p "$bench/bin" "$bench/data"

# NAME: builds one of our programs as it is released, into bin.
make_program() {
  local path
  path=$(scripts/build-release --product "$1" | tail -n 1)
  [[ -x $path ]] || die "$1 does not build"
  cp "$path" "$bench/bin/$1"
}

# The programs in C.
make_kit() {
  cc -O2 -Wall -Wextra -Werror -o "$bench/bin/floor" Benchmarks/kit/floor.c -lm
  cc -O2 -Wall -Wextra -Werror -o "$bench/bin/runstat" Benchmarks/kit/runstat.c
  cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$bench/bin/alloccount.so" Benchmarks/kit/alloccount.c
}

# SIZE: path of the capture of 100k, 200k, 1m or 5m reports, or of the crowd.
capture() {
  echo "$bench/data/$1.btsnoop"
}

# SIZE: makes it, and the truth about it beside it. The crowd has more beacons than the 4,096 that are tracked.
make_capture() {
  local reports=${1/k/000} path options=()
  reports=${reports/m/000000}
  if [[ $1 == crowd ]]; then
    reports=300000
    options=(--ibeacons 9000 --eddystone 0 --altbeacons 0 --noise 0.2)
  fi
  path=$(capture "$1")
  [[ -s $path ]] && return
  echo "making a capture of $reports reports"
  python3 Benchmarks/kit/generate-capture.py --reports "$reports" "${options[@]}" --h4 "$path.part" \
    --truth "$bench/data/$1.json" >/dev/null
  mv "$path.part" "$path"
}

# NUMBER: path of the configuration of so many regions.
regions() {
  echo "$bench/data/regions-$1.yaml"
}

# NUMBER: makes it.
make_regions() {
  python3 Benchmarks/kit/generate-capture.py --reports 1 --regions "$1" "$(regions "$1")" >/dev/null
}
