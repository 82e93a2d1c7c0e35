#!/usr/bin/env python3
"""Which lines of each reader's files its corpora reach. Usage: fuzz/coverage.py [OUT.tsv]

Builds the targets for clang's source-based coverage (preset `coverage`), runs each over the kept corpus and over what
scripts/fuzz has learnt in build-fuzz/corpus, and writes one line per file: reader, file, lines, lines reached. Lines that
write files stand in the same sources and count as well, reached or not."""
import json, os, pathlib, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-coverage"
READERS = {
    "csv": ["data/text_table", "data/text_chunks", "data/dialect", "data/numbers", "data/quick_number", "data/dates",
            "data/column_kinds", "data/table_source", "data/source_text", "data/json_lines", "data/load_table",
            "data/load_table_like", "data/encode"],
    "npy": ["arrays/npy", "arrays/npy_header", "arrays/npy_convert", "data/arrays"],
    "npz": ["arrays/npz"],
    "idx": ["data/idx"],
    "cifar": ["data/cifar10"],
    "picture": ["data/picture", "data/jpeg", "data/picture_folder"],
    "safetensors": ["mlp/safetensors", "mlp/weights"],
    "toml": ["experiment/toml", "experiment/specification"],
    "checkpoint": ["mlp/checkpoint"],
    "recommendation": ["render/recommendation_file", "support/json_reader"],
    "report": ["report/results"],
    "store": ["experiment/database", "experiment/integrity", "experiment/store_results", "experiment/schema"],
}


def newest(tool):
    found = [shutil.which(tool)] + [str(path) for path in pathlib.Path("/usr/lib").glob(f"llvm-*/bin/{tool}")]
    return [path for path in found if path][0]


def lines_of(target, files):
    """Lines and lines reached of each file, over all of the target's inputs. An archive's arrays and weights are read by
    the same code as single ones, so npz counts for npy and safetensors as well."""
    profiles = []
    for program in [target] + {"npy": ["npy_twice", "npz"], "csv": ["csv_twice"], "safetensors": ["npz"]}.get(target, []):
        corpora = [ROOT / "fuzz/corpus" / program.removesuffix("_twice"), ROOT / "build-fuzz/corpus/small" / program]
        raw = BUILD / f"{program}.profraw"
        environment = {**os.environ, "LLVM_PROFILE_FILE": str(raw), "ASAN_OPTIONS": "detect_leaks=0"}
        subprocess.run([BUILD / "fuzz" / f"fuzz_{program}", "-runs=0", f"-artifact_prefix={BUILD}/", "-max_len=1048576", "-rss_limit_mb=4096",
                        *[path for path in corpora if path.exists()]], env=environment, check=True, capture_output=True)
        profiles.append(raw)
    merged = BUILD / f"{target}.profdata"
    subprocess.run([newest("llvm-profdata"), "merge", "-sparse", *profiles, "-o", merged], check=True)
    found = json.loads(subprocess.run(
        [newest("llvm-cov"), "export", "-summary-only", f"-instr-profile={merged}", BUILD / "fuzz" / f"fuzz_{target}"],
        cwd=BUILD, check=True, capture_output=True, text=True).stdout)
    lines = {os.path.normpath(BUILD / entry["filename"]): entry["summary"]["lines"] for entry in found["data"][0]["files"]}
    by_file = {file: lines[str(ROOT / "src" / f"{file}.cpp")] for file in files}
    return {file: (counted["count"], counted["covered"]) for file, counted in by_file.items()}


def main(out):
    subprocess.run(["cmake", "--preset", "coverage"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "coverage"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    rows = []
    for target, files in READERS.items():
        found = lines_of(target, files)
        for file in files:
            lines, reached = found[file]
            rows.append(f"{target}\t{file}.cpp\t{lines}\t{reached}")
            print(rows[-1], flush=True)
    pathlib.Path(out).write_text("reader\tfile\tlines\treached\n" + "\n".join(rows) + "\n")


main(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/results/fuzz/coverage.tsv")
