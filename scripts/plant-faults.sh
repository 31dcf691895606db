#!/usr/bin/env bash
# Plants faults of meaning in a copy of the project, one after the other, and shows how many lives it takes to find each.
# Usage: scripts/plant-faults.sh [FOLDER]; a folder that is there already is taken for such a copy, with what it has built.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=${1:-$(mktemp -d)}
most=${LIVES:-500}
if [ ! -e "$copy/Package.swift" ]; then
    mkdir -p "$copy"
    git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
    python3 scripts/plant-faults.py "$copy"
fi
cd "$copy"
swift build --build-tests | tail -n 1
printf '| fault | lives until found | found by |\n|---|---|---|\n'
failed=0
while IFS=$'\t' read -r number name; do
    found=$(SATCHEL_FAULT=$number LIVES=$most LIVES_UNTIL_FAULT=1 LIVES_SHOWN=0 SEED=${SEED:-1} \
        swift test --skip-build --disable-xctest --filter LivesTests 2>/dev/null </dev/null |
        sed -n 's/^first fault after \([0-9]*\) lives: /\1 | /p')
    printf '| %s | %s |\n' "$name" "${found:-not found in $most |}"
    [ -n "$found" ] || failed=1
done < <(python3 scripts/plant-faults.py --list)
exit "$failed"
