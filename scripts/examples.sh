#!/usr/bin/env bash
# Builds and runs the packages in Examples/, each as a user of the libraries would: through their public interface only.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${SCRATCH:-.build}/examples
swift=${SWIFT:-swift}

# One folder for all three: what they have in common is built once.
run() { # package, then the command
    "$swift" "$2" --package-path "Examples/$1" --scratch-path "$scratch" "${@:3}"
}

run Notes test
run ValidateFile run ValidateFile Schemas/bztimer/bztimer-3.schema.json fixtures/bztimer/v3/leg-day.json
run ReadSession run ReadSession fixtures/bztimer/v1/leg-day.json
