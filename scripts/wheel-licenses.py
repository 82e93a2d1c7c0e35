"""Puts the licence texts of the libraries that a wheel bundles into it. Usage: wheel-licenses.py WHEEL"""

import base64
import csv
import hashlib
import importlib.metadata
import io
import pathlib
import re
import subprocess
import sys
import zipfile

# Header-only parts and those compiled in; the shared ones are found by their names.
always = ["libeigen3-dev", "nlohmann-json3-dev", "librandom123-dev", "libopenblas0-openmp"]


def package_of(library: str) -> str | None:
    """The Debian package that installed the library, by the name before auditwheel added a checksum: libzip-1a2b3c4d.so.4"""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library)
    found = subprocess.run(["dpkg-query", "--search", f"*/{name}*"], capture_output=True, text=True).stdout
    packages = [line.partition(":")[0] for line in found.splitlines() if not line.startswith("diversion")]
    return packages[0] if packages else None


def main(path: str) -> None:
    with zipfile.ZipFile(path) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
        modes = {info.filename: info.external_attr for info in wheel.infolist()}
    info = next(name for name in files if name.endswith(".dist-info/RECORD")).rpartition("/")[0]
    libraries = [pathlib.PurePath(name).name for name in files if ".libs/" in name and not name.endswith("/")]
    packages = sorted({*always, *filter(None, map(package_of, libraries))})
    for package in packages:
        text = pathlib.Path("/usr/share/doc", package, "copyright")
        if text.exists():
            files[f"{info}/licenses/{package}.txt"] = text.read_bytes()
    for text in importlib.metadata.files("nanobind") or []:  # compiled in, and from the package index
        if text.name.startswith("LICENSE"):
            files[f"{info}/licenses/nanobind.txt"] = text.read_binary()
    unknown = [library for library in libraries if package_of(library) is None]
    if unknown:
        sys.exit(f"wheel-licenses: no package is known for {', '.join(unknown)}: its licence text is missing")
    record = io.StringIO()
    writer = csv.writer(record, lineterminator="\n")
    for name, content in files.items():
        if name != f"{info}/RECORD":
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            writer.writerow([name, f"sha256={digest}", len(content)])
    writer.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = record.getvalue().encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = modes.get(name, 0o644 << 16)
            wheel.writestr(entry, content)
    print(f"wheel-licenses: {len(libraries)} libraries, {len(packages)} licence texts")


main(sys.argv[1])
