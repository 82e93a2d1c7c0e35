#!/usr/bin/env bash
# binaries.sh BUILD_FOLDER: no program or library of the build looks for libraries in an empty or relative folder, the
# installed program neither, and the program does not load what lies in the current folder. The installed program has full
# RELRO, a stack protector and FORTIFY's checked calls.
set -euo pipefail
build=$1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/installed" >/dev/null
failures=0 seen=0

while read -r file; do
  [[ $(head -c 4 "$file" | tail -c 3) == ELF && $(readelf -h "$file") == *"Type: "*DYN* ]] || continue
  seen=$((seen + 1))
  while read -r path; do
    if [[ ":$path:" =~ :([^/:][^:]*)?: ]]; then
      echo "$file: the library path '$path' has an empty or relative entry"
      failures=$((failures + 1))
    fi
  done < <(readelf -d "$file" | sed -n 's/.*(\(RUNPATH\|RPATH\)).*\[\(.*\)\]/\2/p')
done < <(find "$build" "$scratch/installed/bin" -type f -perm -u+x ! -name '*.o' ! -path '*/CMakeFiles/*' ! -path '*/site-packages/*')

program=$scratch/installed/bin/priorfit
if ! readelf -d "$program" | grep -q BIND_NOW || ! readelf -l "$program" | grep -q GNU_RELRO; then
  echo "$program: not linked with full RELRO"
  failures=$((failures + 1))
fi
for symbol in '__stack_chk_fail' '__[a-z]*_chk'; do
  if ! nm --dynamic --undefined-only "$program" | grep -E " U $symbol(@|$)" >/dev/null; then
    echo "$program: calls no $symbol"
    failures=$((failures + 1))
  fi
done

# An empty file that the loader would stumble over.
mkdir "$scratch/data"
cd "$scratch/data"
touch libhwy.so.1 libfmt.so.9 libopenblas.so.0
for program in "$build/priorfit" "$program"; do
  "$program" --version >/dev/null || { echo "$program loads libraries of the current folder"; failures=$((failures + 1)); }
done
echo "$seen programs and libraries looked at"
((failures == 0 && seen > 1))
