#!/usr/bin/env bash
# cpp.sh BUILD_FOLDER PAGE: the project that stands on docs/cpp.md, built against an installed tree, gives an answer.
set -euo pipefail
build=$1 page=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/installed" >/dev/null
block() { awk -v fence="^\`\`\`$1" '$0 ~ fence { inside = 1; next } /^```/ { inside = 0 } inside' "$page"; }
block cmake >"$scratch/CMakeLists.txt"
block cpp >"$scratch/mine.cpp"
cmake -S "$scratch" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/installed" >/dev/null
cmake --build "$scratch/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
answer=$("$scratch/build/mine")
echo "$answer"
[[ $answer == Keep* || $answer == Change* ]] && grep -q '^layer 1: σ_w² = ' <<<"$answer"
