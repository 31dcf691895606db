#!/usr/bin/env bash
# Checks the systemd units of an installation, and runs the commands of the services on sample databases.
# usage: check-units.sh PREFIX
set -euo pipefail
prefix=$(realpath "$1")
fail() { echo "units: $1" >&2; exit 1; }

if [ "$(uname -s)" != Linux ]; then
    echo "units: skipped, there is no systemd on this system"
    exit 0
fi
for folder in "$prefix/lib/systemd/user" "$prefix/share/systemd/user"; do
    [ -s "$folder/slate-backup.service" ] && break
done
service=$folder/slate-backup.service timer=$folder/slate-backup.timer watcher=$folder/foldersync.service
for unit in "$service" "$timer" "$watcher"; do
    [ -s "$unit" ] || fail "${unit##*/} is missing under $prefix"
    ! grep -n '@[A-Z]*@' "$unit" || fail "a place in the unit was not filled in"
done

work=$(mktemp -d)
watching=
trap '[ -z "$watching" ] || kill "$watching" 2>/dev/null; rm -rf "$work"' EXIT
if command -v systemd-analyze >/dev/null 2>&1; then
    # A key that it does not know costs no exit code, only a line.
    findings=$(XDG_RUNTIME_DIR=$work systemd-analyze verify --user --man=no "$service" "$timer" "$watcher" 2>&1) ||
        fail "systemd-analyze: $findings"
    ! grep -E 'slate-backup|foldersync' <<<"$findings" >&2 || fail "systemd-analyze finds fault with the units"
else
    echo "units: systemd-analyze is missing, so the units were not verified"
fi

# The commands as the service has them: a shell reads these lines as systemd does.
export SLATE_DB="$work/slate.db" SLATE_BACKUPS="$work/My backups"
commands=$(sed -n 's/^ExecStart\(Pre\)\{0,1\}=//p' "$service")
[ "$(grep -c . <<<"$commands")" -eq 4 ] || fail "the service has not the four commands that are expected"
grep -qx 'SuccessExitStatus=3' "$service" || fail "warnings would end the service"
serve() {
    local command status codes=
    while IFS= read -r command; do
        echo "units: ${command//$prefix\/bin\//}"
        status=0
        eval "$command" </dev/null || status=$?
        codes+=" $status"
    done <<<"$commands"
    [ "$codes" = " $1" ] || fail "that ended with$codes where $1 was expected"
}
"$prefix/bin/slate-backup" init --sample --store "$SLATE_DB"
serve "0 0 0 0"
backups=$(ls "$SLATE_BACKUPS"/Slate-*) || fail "the service left no backup"

# A database that was lost: the run goes on to its end, and what was in the database stays in the folder.
rm "$SLATE_DB"
"$prefix/bin/slate-backup" init --store "$SLATE_DB"
serve "0 3 0 0"
[ -s "$backups" ] || fail "a backup went that holds far more than the newest"
echo "units: the timer's service backs up, proves and prunes"

# The watcher brings a change over within seconds, and ends when it is told to.
export SATCHEL_FOLDERSYNC="$work/laptop.json" FOLDERSYNC_INTERVAL=60
foldersync=$prefix/bin/foldersync
other() { SATCHEL_FOLDERSYNC="$work/tower.json" "$foldersync" "$@" </dev/null; }
"$foldersync" init "$work/shared" --store "$SLATE_DB" --name Laptop --no-encrypt
other join "$work/shared" --create slate="$work/tower.db" --name Tower
eval "exec $(sed -n 's/^ExecStart=//p' "$watcher")" </dev/null >"$work/watch.log" 2>&1 &
watching=$!
"$prefix/bin/slate-backup" import "$backups" --store "$work/tower.db" --yes
other sync || [ $? -eq 3 ] || fail "the other device does not synchronise"
for _ in $(seq 6000); do
    grep -q 'from Tower' "$work/watch.log" && break
    sleep 0.1
done
grep 'from Tower' "$work/watch.log" || { cat "$work/watch.log" >&2; fail "the watcher took no change"; }
kill -TERM "$watching"
wait "$watching" || fail "the watcher ended with $?"
watching=
echo "units: the watcher's service brings changes over, and ends when it is told to"
