#!/usr/bin/env bash
# upward_includes.sh SOURCE LAYERS COMPILER: gives the compiler, with the include path of each layer, an include of a
# header of every layer that it does not know, which must be refused, and of one of its own, which must not.
set -euo pipefail
source=$1 layers=$2 compiler=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
accepted=0 refused=0 wrong=0

while IFS="|" read -r -a path; do
  layer=${path[0]} path=("${path[@]:1}")
  flags=("${path[@]/#/-I}")
  while IFS='|' read -r other _; do
    known=$(printf '%s\n' "${path[@]}" | grep -cxF "$layers/$other") || true
    if ((known > 0)) && [[ $other != "$layer" ]]; then continue; fi  # the library itself shows that these compile
    header=$(cd "$layers/$other" && find . -follow -name '*.hpp' ! -name '*-inl.hpp' -printf '%P\n' | sort | head -1)
    [[ -n $header ]] || continue

    printf '#include "%s"\n' "$header" >"$scratch/include.cpp"
    if "$compiler" -std=c++20 -E -o /dev/null "${flags[@]}" "$scratch/include.cpp" 2>"$scratch/messages"; then
      outcome=accepted accepted=$((accepted + 1))
    elif [[ $other == "$layer" ]] && grep -q "mpi\.h" "$scratch/messages"; then
      continue  # a build without MPI (cmake/Mpi.cmake)
    elif grep -q "include.cpp:1:.*$header" "$scratch/messages"; then
      outcome=refused refused=$((refused + 1))
    else
      outcome="refused for another reason"
    fi
    if [[ $other == "$layer" ]]; then expected=accepted; else expected=refused; fi
    if [[ $outcome != "$expected" ]]; then
      echo "in src/$layer, #include \"$header\" is $outcome, not $expected"
      head -3 "$scratch/messages"
      wrong=$((wrong + 1))
    fi
  done <"$layers/paths.txt"
done <"$layers/paths.txt"
echo "$accepted includes of the layer itself compile, $refused of layers that it does not know do not"

# A path with .. goes round the include path.
if grep -rn '#include "\.\./' "$source/src" "$source/include"; then wrong=$((wrong + 1)); fi
((wrong == 0 && accepted > 0 && refused > 0))
