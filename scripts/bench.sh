#!/usr/bin/env bash
# Runs the benchmarks, which live in a package of their own.
set -euo pipefail
cd "$(dirname "$0")/../Benchmarks"
if [ -f run.sh ]; then
    exec bash run.sh "$@"
fi
exec python3 run.py "$@"
