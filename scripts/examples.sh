#!/usr/bin/env bash
# Builds and runs the packages in Examples/, each as a user of the libraries would: through their public interface only.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${SCRATCH:-.build}/examples
swift=${SWIFT:-swift}

run() { # package, then the command
    "$swift" "$2" --package-path "Examples/$1" --scratch-path "$scratch/$1" "${@:3}"
}

run ValidateFile run ValidateFile Schemas/bztimer/bztimer-3.schema.json fixtures/bztimer/v3/leg-day.json
run ReadSession run ReadSession fixtures/bztimer/v1/"$(ls fixtures/bztimer/v1 | grep -m 1 json)"
run Notes test
