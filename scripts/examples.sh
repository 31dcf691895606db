#!/usr/bin/env bash
# Builds and runs the packages in Examples/, each as a user of the libraries would: through their public interface only.
# With the tests' folder and flags, SwiftPM finds the libraries built.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${SCRATCH:-.build/examples}
swift=${SWIFT:-swift}

build() { # package, then more flags
    # shellcheck disable=SC2086
    "$swift" build --package-path "Examples/$1" --scratch-path "$scratch" -c release ${FLAGS:-} "${@:2}"
}

build Notes --build-tests
"$swift" test --package-path Examples/Notes --scratch-path "$scratch" -c release --skip-build --disable-xctest
build ValidateFile
"$scratch/release/ValidateFile" Schemas/bztimer/bztimer-3.schema.json fixtures/bztimer/v3/leg-day.json
build ReadSession
"$scratch/release/ReadSession" fixtures/bztimer/v1/leg-day.json
