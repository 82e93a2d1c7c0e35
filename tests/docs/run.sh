#!/usr/bin/env bash
# run.sh PROGRAM DOCS PAGE: runs what stands on DOCS/PAGE.md, in a folder that holds table.csv and nothing else.
#   <!-- run -->       the indented commands that follow, each with what continues it behind a backslash
#   <!-- python -->    the block that follows, where the module priorfit is there
# mpirun's commands run where there is an mpirun and a priorfit-mpi beside PROGRAM. What is left out is named.
set -euo pipefail
program=$1 docs=$2 page=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/priorfit"
[[ ! -x $program-mpi ]] || ln -s "$program-mpi" "$scratch/bin/priorfit-mpi"
export PATH=$scratch/bin:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
cd "$scratch"
awk 'BEGIN { srand(3); print "id,rooms,area,city,price"
  for (i = 1; i <= 80; ++i) { r = int(1 + 5 * rand()); a = 20 * r + 30 * rand(); c = rand() < 0.5 ? "north" : "south"
    printf "%d,%d,%.1f,%s,%.2f\n", i, r, a, c, 3 * a + (c == "north" ? 20 : 0) + 10 * rand() } }' >table.csv

count=0
while read -r line; do
  if [[ $line == mpirun* ]] && ! { command -v mpirun >/dev/null && [[ -x bin/priorfit-mpi ]]; }; then
    echo "left out, no priorfit-mpi: $line"
    continue
  fi
  bash -c "$line" </dev/null >"$scratch/out" 2>"$scratch/err" || { echo "$page.md: $line"; cat "$scratch/err"; exit 1; }
  count=$((count + 1))
done < <(awk '/^<!-- run -->/ { run = 1; next }
              run && /^    / { sub(/^    */, ""); if (sub(/\\$/, "")) { printf "%s", $0; next } print; next }
              run && NF { run = 0 }' "$docs/$page.md")

python=${PRIORFIT_PYTHON:-python3}
if grep -q '^<!-- python -->' "$docs/$page.md"; then
  if "$python" -c 'import priorfit' 2>/dev/null; then
    awk '/^<!-- python -->/ { want = 1; next } want && /^```python/ { inside = 1; next } /^```/ { want = inside = 0 } inside' \
      "$docs/$page.md" >page.py
    [[ -s page.py ]] || { echo "$page.md: no block of Python"; exit 1; }
    "$python" page.py >"$scratch/out" 2>"$scratch/err" || { cat "$scratch/err"; exit 1; }
    count=$((count + 1))
  else
    echo "left out, no module priorfit: the Python of $page.md"
    [[ $count -gt 0 ]] || exit 77
  fi
fi
echo "$count commands"
((count > 0))
