#!/usr/bin/env bash
# build_example.sh BUILD_FOLDER EXAMPLES: what a user of the installed library does.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/installed" >/dev/null
cp -r "$2" "$scratch/example"
cmake -S "$scratch/example" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/installed"
cmake --build "$scratch/build"
cd "$scratch"
answer=$("$scratch/build/recommend_example" digits)
echo "$answer"
grep -qE "^(keep|change) what PyTorch does: " <<<"$answer"
answer=$("$scratch/build/custom_activation_example" digits mish.safetensors)
echo "$answer"
grep -q "^mish: weight variance [0-9]" <<<"$answer"
grep -q "^mish.safetensors: 17610 parameters, activation mish$" <<<"$answer"
"$scratch/installed/bin/priorfit" --version
