#!/usr/bin/env bash
# Builds the API documentation of the libraries into .build/docs.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${SCRATCH:-.build}
export SATCHEL_DOCS=1
mkdir -p "$scratch/docs"

for target in StrictJSON JSONSchemaValidation FormatKit RecordStore BZTimer GymPulse Slate StudyTimer TimeTracker; do
    "${SWIFT:-swift}" package --scratch-path "$scratch" --allow-writing-to-directory "$scratch/docs" \
        generate-documentation --target "$target" --output-path "$scratch/docs/$target" --warnings-as-errors
done
echo "docs: $scratch/docs"
