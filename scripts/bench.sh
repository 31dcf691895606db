#!/usr/bin/env bash
# Runs all benchmarks: JSON, which has a package of its own, and Slate's import and export. What is given goes to both.
set -euo pipefail
cd "$(dirname "$0")/../Benchmarks"
python3 run.py "$@"
python3 slate/run_slate.py "$@"
