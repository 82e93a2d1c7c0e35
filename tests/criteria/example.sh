#!/usr/bin/env bash
# example.sh PAGE FILE: the code of PAGE between the two `own_criterion` comments is FILE.
set -euo pipefail
diff <(sed -n '/^<!-- own_criterion -->$/,/^<!-- end of own_criterion -->$/p' "$1" | sed '/^<!--/d;/^```/d') "$2" ||
  { echo "$1 differs from $2" >&2; exit 1; }
