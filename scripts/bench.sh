#!/usr/bin/env bash
# Runs all benchmarks, and puts what they found into docs/performance.md. What is given goes to each: --cache, --programs.
set -euo pipefail
bench=$(dirname "$0")/../Benchmarks/bench.py
for command in json schema slate interchange merge sync encrypted lock years page; do
    python3 "$bench" "$command" "$@"
done
