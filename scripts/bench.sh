#!/usr/bin/env bash
# Runs all benchmarks: JSON, which has a package of its own, Slate's import and export, the time logs, replicas that come
# together, and devices in step, which docs/performance.md shows. What is given goes to the first four.
set -euo pipefail
cd "$(dirname "$0")/../Benchmarks"
python3 run.py "$@"
python3 slate/run_slate.py "$@"
python3 interchange/run_interchange.py "$@"
python3 merge/run_merge.py "$@"
python3 schema/run_schema.py
for command in sync encrypted years page; do python3 bench.py "$command"; done
