#!/usr/bin/env bash
# Checks the systemd units of an installation, and runs the commands of the service on a sample database.
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
service=$folder/slate-backup.service timer=$folder/slate-backup.timer
[ -s "$service" ] && [ -s "$timer" ] || fail "slate-backup.service or slate-backup.timer is missing under $prefix"
! grep -n '@[A-Z]*@' "$service" "$timer" || fail "a place in the units was not filled in"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v systemd-analyze >/dev/null 2>&1; then
    # A key that it does not know costs no exit code, only a line.
    findings=$(XDG_RUNTIME_DIR=$work systemd-analyze verify --user --man=no "$service" "$timer" 2>&1) ||
        fail "systemd-analyze: $findings"
    ! grep -F slate-backup <<<"$findings" >&2 || fail "systemd-analyze finds fault with the units"
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
"$prefix/bin/slate-backup" init --sample --db "$SLATE_DB"
serve "0 0 0 0"
backups=$(ls "$SLATE_BACKUPS"/Slate-*) || fail "the service left no backup"

# A database that was lost: the run goes on to its end, and what was in the database stays in the folder.
rm "$SLATE_DB"
"$prefix/bin/slate-backup" init --db "$SLATE_DB"
serve "0 3 0 0"
[ -s "$backups" ] || fail "a backup went that holds far more than the newest"
echo "units: the timer's service backs up, proves and prunes"
