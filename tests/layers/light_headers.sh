#!/usr/bin/env bash
# Public headers that hold no matrix compile without Eigen, and none of them needs the JSON library.
# Usage: light_headers.sh SOURCES COMPILER
set -euo pipefail
sources=$1 compiler=$2

heavy=(criterion dataset experiment kernel matrix mlp pilots predict predict_by_evidence preparation priorfit recommend search simulate training weights)
for header in "$sources"/include/priorfit/*.hpp; do
  name=$(basename "$header" .hpp)
  read_files=$("$compiler" -std=c++20 -I"$sources/include" -I/usr/include/eigen3 -x c++ -M "$header")
  if grep -q nlohmann <<<"$read_files"; then
    echo "$name.hpp pulls in the JSON library" >&2
    exit 1
  fi
  if grep -q Eigen/Core <<<"$read_files"; then
    [[ " ${heavy[*]} " == *" $name "* ]] || { echo "$name.hpp pulls in Eigen" >&2; exit 1; }
  elif [[ " ${heavy[*]} " == *" $name "* ]]; then
    echo "$name.hpp no longer needs Eigen: take it off the list" >&2
    exit 1
  fi
done
