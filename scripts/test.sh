#!/usr/bin/env bash
# Runs the tests that were built, and lists at the end what was skipped and why, and what failed.
# usage: test.sh all|quick|SUITE; quick is of a debug build, the others are of one as make test makes it
set -uo pipefail
mode=${1:-all}
case $mode in quick) configuration=debug ;; *) configuration=release ;; esac
cd "$(dirname "$0")/.."
# Tests start the programs many thousand times: linked as those of a release are, they start in half the time.
if [ "$configuration" = release ] && [ "$(uname -s)" = Linux ]; then
    started=${SCRATCH:-.build}/started
    scripts/link-static.sh "${SCRATCH:-.build}/release" "$started/satchel" && scripts/links.sh "$started" || exit 1
    SATCHEL_PROGRAMS=$(cd "$started" && pwd)
    export SATCHEL_PROGRAMS
fi
run() {
    "${SWIFT:-swift}" test --scratch-path "${SCRATCH:-.build}" -c "$configuration" --skip-build --disable-xctest "$@" 2>&1 |
        tee -a "$log"
}

# Tests of real programs and of a watcher: other tests beside them would take their time.
programs='TransportTests|SyncthingTests|WatchProgramTests|InotifyTests'
# What takes longest: faults at each call to the system, simulated worlds, and the built programs started again and again.
slow='FaultTests|SoakTests|SimulationTests|KillTests|InterruptionTests|ConcurrencyTests|PropertyTests|LivesTests|AttackTests'
# Suites that take over five seconds of one core in a debug build.
slow+='|FolderSyncCommandTests|DeliveryTests|DecisionTests|IdentityTests|ResolveTests|LostStoreTests|JoiningTests|ReportTests'
slow+='|RejectedRecordTests|FolderTests|BadFileTests|ConfirmationTests|SchemaTests|ListScenarioTests|SlateProofTests|SlateDiskTests'
slow+='|SlateImportTests|SlatePermissionTests|TrackerImportTests|RegexLimitTests|HostileTests|RecordMergeTests.(OrderTests|LinksTests)'
slow+='|ZwiftTests/limits|BrowserPageTests'

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
case $mode in
    all)
        run --skip "$programs|LivesTests" || failed=1
        # They take minutes of all cores; beside others they would hold up what watches the time.
        echo "=== simulated lives"
        run --filter LivesTests || failed=1
        echo "=== tests of real programs, one at a time"
        run --no-parallel --filter "$programs" || failed=1
        ;;
    quick) run --skip "$programs|$slow" || failed=1 ;;
    *) run --filter "$mode" || failed=1 ;;
esac

echo
echo "=== skipped"
if ! grep -E '(Test|Suite) .* skipped' "$log" | sed -E 's/^[^TS]*(Test|Suite) //; s/ skipped(: ("?)(.*[^"])"?)?\.?$/: \3/; s/^/  /' | sort -u; then
    echo "  nothing"
fi
echo "=== failed"
if ! grep -aE '✘ (Test|Suite) |recorded an issue' "$log" | sed 's/^[^✘]*//; s/^/  /' | sort -u | head -n 60; then
    echo "  nothing"
fi
echo "=== ran"
grep -E 'Test run with [0-9]+ test' "$log"
exit "$failed"
