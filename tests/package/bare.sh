#!/usr/bin/env bash
# bare.sh: installs what scripts/package made into systems that hold nothing else, and asks for an answer there.
#   the Debian packages by apt in a minimal system made by debootstrap; the tarball by unpacking it in another
# BARE_SYSTEM=FOLDER keeps the minimal system there and takes it from there the next time.
# Needs root, debootstrap and a mirror of Debian's; exit 77 (skipped) without them.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $(id -u) -eq 0 ]] && command -v debootstrap >/dev/null || { echo "bare: needs root and debootstrap"; exit 77; }

deb=$(ls dist/priorfit_*.deb) mpi=$(ls dist/priorfit-mpi_*.deb) tarball=$(ls dist/priorfit-*.tar.xz)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(SITE)' | head -1)
scratch=$(mktemp -d)
system=${BARE_SYSTEM:-$scratch/system}
finish() {
  umount "$scratch/deb/proc" "$scratch/tar/proc" 2>/dev/null || true
  rm -rf --one-file-system "$scratch"
}
trap finish EXIT
if [[ ! -d $system/var/lib/apt/lists ]]; then
  echo "bare: making a minimal $release"
  debootstrap --variant=minbase "$release" "$system" "$mirror" >"$scratch/log" 2>&1 || { tail -5 "$scratch/log"; echo "bare: no system could be made"; exit 77; }
fi
cp -a "$system" "$scratch/deb"
cp -a "$system" "$scratch/tar"
cp /etc/resolv.conf "$scratch/deb/etc/" 2>/dev/null || true
cp -r /etc/apt/apt.conf.d/. "$scratch/deb/etc/apt/apt.conf.d/"
for kind in deb tar; do
  mount -t proc proc "$scratch/$kind/proc" || { echo "bare: may not mount /proc"; exit 77; }  # by which the loader finds $ORIGIN
done

ask() {  # ROOT PROGRAM
  local answer
  answer=$(chroot "$1" "$2" recommend digits --budget 0 --quiet)
  [[ $answer == *"Keep "* || $answer == *"Change "* ]] || { echo "bare: no answer: $answer" >&2; exit 1; }
}
since() { echo "$(date +%s.%N) - $1" | bc -l; }

cp "$deb" "$scratch/deb/root/"
chroot "$scratch/deb" apt-get update -qq
begin=$(date +%s.%N)
DEBIAN_FRONTEND=noninteractive chroot "$scratch/deb" apt-get install -y -qq --no-install-recommends "/root/$(basename "$deb")" \
  >"$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; exit 1; }
installed=$(since "$begin")
ask "$scratch/deb" priorfit
printf 'bare: Debian package: apt install %.1f s, theory on digits %.1f s after it began\n' "$installed" "$(since "$begin")"
chroot "$scratch/deb" priorfit predict digits --samples 100 --quiet --out /root/p --report >/dev/null
for file in root/p/report.html usr/share/man/man1/priorfit-recommend.1.gz usr/share/bash-completion/completions/priorfit \
    usr/share/doc/priorfit/copyright; do
  [[ -s $scratch/deb/$file ]] || { echo "bare: the package has no $file" >&2; exit 1; }
done
chroot "$scratch/deb" priorfit --version | grep -q USE_OPENMP || { echo "bare: another OpenBLAS than the one declared" >&2; exit 1; }

# With the other package beside it, several processes share the evidence; the first has no MPI and says how to get it.
[[ ! -e $scratch/deb/usr/bin/priorfit-mpi ]] || { echo "bare: priorfit's package holds priorfit-mpi" >&2; exit 1; }
cp "$mpi" "$scratch/deb/root/"
DEBIAN_FRONTEND=noninteractive chroot "$scratch/deb" apt-get install -y -qq --no-install-recommends "/root/$(basename "$mpi")" \
  >"$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; exit 1; }
chroot "$scratch/deb" mpirun --allow-run-as-root --oversubscribe --mca plm isolated -n 2 priorfit recommend digits --samples 100 \
  --criterion evidence >"$scratch/out" 2>"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
grep -q "2 ranks share the evidence" "$scratch/log" || { echo "bare: priorfit-mpi: $(cat "$scratch/log")" >&2; exit 1; }
echo "bare: priorfit-mpi: two processes share the evidence"

tar -xJf "$tarball" -C "$scratch/tar/opt"
folder=$(basename "$tarball" .tar.xz)
mv "$scratch/tar/opt/$folder" "$scratch/tar/opt/somewhere else"
begin=$(date +%s.%N)
ask "$scratch/tar" "/opt/somewhere else/bin/priorfit"
printf 'bare: tarball: answers from a folder of any name in %.1f s\n' "$(since "$begin")"
# Every library that is bundled has a notice, and the text of each licence that a notice refers to is there.
notices="$scratch/tar/opt/somewhere else/notices"
(($(ls "$notices" | wc -l) > $(ls "$notices/../lib/priorfit" | wc -l))) && [[ -s $notices/libnlopt0.txt && -s $notices/common-licenses/LGPL-2.1 ]] ||
  { echo "bare: notices are missing" >&2; exit 1; }
