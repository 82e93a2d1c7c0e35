#!/usr/bin/env bash
# diagram.sh PAGE DIAGRAM [--write]: the block of PAGE between the two `layers` comments is DIAGRAM, which CMake writes from
# the targets. With --write the block is replaced.
set -euo pipefail
page=$1 diagram=$2

if [[ ${3:-} == --write ]]; then
  sed -i -e '/^<!-- layers -->$/,/^<!-- end of layers -->$/{/^    /d}' "$page"
  sed -i -e "/^<!-- layers -->\$/{n;r $diagram
}" "$page"
fi
diff <(sed -n '/^<!-- layers -->$/,/^<!-- end of layers -->$/{/^    /p}' "$page") "$diagram" ||
  { echo "$page differs from the targets: run $0 $page $diagram --write" >&2; exit 1; }
