#!/usr/bin/env bash
# Shares a session the way a trainer and a client do, backs up Slate, and keeps two devices in step, on the files in
# fixtures/, in stores that go afterwards. usage: demo.sh FOLDER-OF-PROGRAMS
set -uo pipefail
cd "$(dirname "$0")/.."
programs=$(realpath "$1")
bzpack=$programs/bzpack
fixtures=fixtures/bztimer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

bold= plain=
[ -t 1 ] && bold=$'\033[1m' plain=$'\033[0m'
say() { printf '\n%s# %s%s\n' "$bold" "$1" "$plain"; }

# Runs a program, shows the command, and fails the demo where the exit code is not the expected one.
run() { call bzpack "$@"; }
slate() { call slate-backup "$@"; }
tracker() { call tracker-export "$@"; }
laptop() { export SATCHEL_FOLDERSYNC="$work/laptop.json" && call foldersync "$@"; }
tower() { export SATCHEL_FOLDERSYNC="$work/tower.json" && call foldersync "$@"; }
call() {
    local program=$1 expected=$2 status
    shift 2
    printf '$ %s %s\n' "$program" "${*//$work\//}"
    "$programs/$program" "$@" </dev/null 2>&1 | sed "s|$work/||g"
    status=${PIPESTATUS[0]}
    [ "$status" -eq 0 ] || printf '(exit code %d)\n' "$status"
    if [ "$status" -ne "$expected" ]; then
        printf 'demo: expected exit code %d\n' "$expected" >&2
        failed=1
    fi
}

# The content of a file, whoever wrote it, when and in which version.
digest() { "$bzpack" inspect "$1" 2>/dev/null | sed -n 's/^digest: //p'; }

say "A client on the Free plan gets the same session in three versions of the format: custom categories are mapped"
run 0 init --store "$work/free.db"
run 3 import "$fixtures/v1/leg-day.json" "$fixtures/v2/leg-day.json" "$fixtures/v3/leg-day.json" --store "$work/free.db"
run 0 list --store "$work/free.db"
run 0 show "Leg day" --store "$work/free.db"

say "The same on the Pro plan: the custom categories are added"
run 0 init --pro --store "$work/pro.db"
run 0 import "$fixtures/v1/leg-day.json" "$fixtures/v2/leg-day.json" "$fixtures/v3/leg-day.json" --store "$work/pro.db"
run 0 categories --store "$work/pro.db"

say "Exporting needs Pro"
run 77 export "$work/leg-day.bztimer" --store "$work/free.db"
run 0 export "$work/leg-day.bztimer" --store "$work/pro.db"
run 0 validate "$work/leg-day.bztimer"
run 0 inspect "$work/leg-day.bztimer"

say "Export, import, export: the same content digest"
run 0 init --pro --store "$work/other.db"
run 0 import "$work/leg-day.bztimer" --store "$work/other.db"
run 0 export "$work/again.bztimer" --store "$work/other.db"
if [ "$(digest "$work/leg-day.bztimer")" = "$(digest "$work/again.bztimer")" ]; then
    echo "the digests are equal: $(digest "$work/again.bztimer")"
else
    echo "demo: the digests differ" >&2
    failed=1
fi

say "An older app reads version 1, with categories, tags and days; the rest comes back on the way up"
run 0 migrate "$work/leg-day.bztimer" --to 1 --output "$work/old.bztimer"
run 0 validate "$work/old.bztimer"
run 0 migrate "$work/old.bztimer" --to 3 --output "$work/new.bztimer"
if cmp -s "$work/leg-day.bztimer" "$work/new.bztimer"; then
    echo "new.bztimer is leg-day.bztimer, byte for byte"
else
    echo "demo: the file did not come back as it was" >&2
    failed=1
fi

say "Files that cannot be used are refused with their place, and nothing is changed"
run 65 import "$fixtures/v3/leg-day.json" "$fixtures/invalid/duration-zero.json" "$fixtures/invalid/version-newer.json" \
    "$fixtures/invalid/is-slate.json" --store "$work/pro.db"

say "Any JSON Schema, any JSON file"
run 65 schema check Schemas/bztimer/bztimer-3.schema.json "$fixtures/v3/leg-day.json" "$fixtures/invalid/weekday-8.json"

say "Presets of GymPulse: old files, corrupt ones mended on request, and what one does second by second"
presets=fixtures/presets
run 0 presets import "$presets/v1/first-timers.json" --store "$work/pro.db"
run 3 presets import "$presets/invalid/sets-zero.json" --repair --store "$work/pro.db"
run 0 presets list --store "$work/pro.db"
run 0 timeline HIIT --store "$work/pro.db"
run 0 timeline HIIT --format ical --start 2026-03-01T06:30:00Z --now 2026-03-01T06:00:00Z --store "$work/pro.db" | head -n 20
run 0 convert "$presets/v1/first-timers.json" --output "$work/timers.bztimer"
run 0 convert "$work/timers.bztimer" --output "$work/timers.json"
run 0 inspect "$work/timers.json"

say "The same presets out of an iPhone's property list, as the app's own values or as JSON inside of data"
run 0 inspect "$presets/plist/array-binary.plist"
run 0 presets import "$presets/plist/data-xml.plist" --store "$work/phone-presets.db"
run 0 presets import "$presets/plist/array-binary.plist" --store "$work/phone-presets.db"

say "A workout of Zwift becomes a session and comes back; what the other has no place for is said with its line"
run 3 convert fixtures/zwift/intervals.zwo --output "$work/hill.bztimer"
run 0 convert "$work/hill.bztimer" --to zwo --output "$work/hill.zwo"
run 0 convert "$work/hill.zwo" --output "$work/again.bztimer"
if [ "$(digest "$work/hill.bztimer")" = "$(digest "$work/again.bztimer")" ]; then
    echo "the digests are equal: $(digest "$work/again.bztimer")"
else
    echo "demo: the workout did not come back as it was" >&2
    failed=1
fi

say "Two devices changed one session: what both did comes together, and a conflict is named"
run 0 migrate "$fixtures/v3/leg-day.json" --to 3 --output "$work/base.bztimer"
sed 's/"name": "Leg day"/"name": "Leg day, spring"/' "$work/base.bztimer" >"$work/laptop.bztimer"
sed 's/"durationSeconds": 30$/"durationSeconds": 45/; s/"durationSeconds": 30,/"durationSeconds": 45,/' "$work/base.bztimer" >"$work/phone.bztimer"
run 0 merge "$work/base.bztimer" "$work/laptop.bztimer" "$work/phone.bztimer" --output "$work/merged.bztimer"
sed 's/"name": "Leg day"/"name": "Leg day, winter"/' "$work/base.bztimer" >"$work/phone.bztimer"
run 3 merge "$work/base.bztimer" "$work/laptop.bztimer" "$work/phone.bztimer" --output "$work/merged.bztimer"

say "Several files as one, and the same bytes each time"
run 0 pack "$work/leg-day.bztimer" "$work/timers.bztimer" --output "$work/spring.bzpack"
run 0 pack "$work/leg-day.bztimer" "$work/timers.bztimer" --output "$work/again.bzpack"
if cmp -s "$work/spring.bzpack" "$work/again.bzpack"; then
    echo "again.bzpack is spring.bzpack, byte for byte"
else
    echo "demo: two packs of the same files differ" >&2
    failed=1
fi
run 0 unpack --list "$work/spring.bzpack"
run 0 import "$work/spring.bzpack" --store "$work/free.db"

say "A phone's own storage, when nothing else is left: what is damaged is named, the rest is saved"
run 3 import --from-storage fixtures/asyncstorage/ios --store "$work/phone.db"
run 0 show "Evening core" --store "$work/phone.db"

say "Slate: the database in a file, and the proof that it comes back"
slates=fixtures/slate
mkdir "$work/backups"
slate 0 import "$slates/v2/autumn-week.json" --store "$work/slate.db" --yes
slate 0 export --store "$work/slate.db" --plain --output "$work/backups" --now 2025-11-02T12:00:00Z --time-zone UTC
slate 0 export --store "$work/slate.db" --plain --output "$work/backups" --now 2025-11-03T12:00:00Z --time-zone UTC
slate 0 export --store "$work/slate.db" --output "$work/week.slatebackup" --now 2025-11-03T12:00:00Z --time-zone UTC
slate 0 verify --restore "$work/backups/Slate-20251103.json" "$work/week.slatebackup"
slate 0 diff "$work/week.slatebackup" "$work/backups/Slate-20251103.json"

say "Database, JSON, empty database, JSON: the same bytes"
slate 0 import "$work/week.slatebackup" --store "$work/other-slate.db" --yes
slate 0 export --store "$work/other-slate.db" --output "$work/again.json" --now 2025-11-03T12:00:00Z --time-zone UTC
if cmp -s "$work/backups/Slate-20251103.json" "$work/again.json"; then
    echo "again.json is Slate-20251103.json, byte for byte"
else
    echo "demo: the backup did not come back as it was" >&2
    failed=1
fi

say "An import is a plan first, asks, and can be undone; a file with a fault changes nothing"
slate 3 import "$slates/v1/seed-example.json" --store "$work/slate.db" --dry-run
slate 3 import "$slates/v1/seed-example.json" --store "$work/slate.db" --yes
slate 64 undo --store "$work/slate.db"
slate 0 undo --store "$work/slate.db" --yes
slate 65 import "$slates/invalid/dependency-cycle.json" --store "$work/slate.db" --yes

say "Far fewer rows than in the backup before: a warning, and the fuller one stays. Older ones go by rules"
slate 0 import "$slates/v2/new-install.json" --store "$work/slate.db" --yes
slate 3 export --store "$work/slate.db" --plain --output "$work/backups" --now 2025-11-03T20:00:00Z --time-zone UTC
slate 0 prune "$work/backups" --keep-last 1 --now 2025-11-04T12:00:00Z --time-zone UTC --yes
slate 0 list "$work/backups"

say "Time Tracker: one activity runs at a time, and a day adds up"
berlin=(--time-zone Europe/Berlin)
log=$work/tracker.db
tracker 0 init --sample --store "$log" --now 2026-03-07T06:30:00Z "${berlin[@]}"
tracker 0 start Work --store "$log" --now 2026-03-07T08:00:00Z "${berlin[@]}"
tracker 0 start Meal --store "$log" --now 2026-03-07T11:00:00Z "${berlin[@]}"
tracker 0 status --store "$log" --now 2026-03-07T11:20:00Z
tracker 0 summary --store "$log" --now 2026-03-07T11:20:00Z "${berlin[@]}"
tracker 0 stop --store "$log" --now 2026-03-07T11:30:00Z "${berlin[@]}"

say "The log in the formats of others, and the proof that it comes back"
now=(--now 2026-03-07T12:00:00Z "${berlin[@]}")
tracker 0 export "$work/log.json" --store "$log" "${now[@]}"
tracker 0 export "$work/log.xml" --store "$log" "${now[@]}"
tracker 0 export "$work/log.csv" --store "$log" "${now[@]}"
tracker 0 export "$work/log.ics" --store "$log" "${now[@]}"
tracker 0 verify "$work/log.json" "$work/log.xml"
tracker 0 import "$work/log.xml" --store "$work/other-log.db" --yes
tracker 0 export "$work/again.xml" --store "$work/other-log.db" "${now[@]}"
if cmp -s "$work/log.xml" "$work/again.xml"; then
    echo "again.xml is log.xml, byte for byte"
else
    echo "demo: the log did not come back as it was" >&2
    failed=1
fi
tracker 0 import "$work/log.json" --store "$log" --yes

say "Toggl, Clockify, calendars and Apple Health come in; times without a zone need one"
tracker 65 import fixtures/interchange/toggl.csv --store "$log" --yes
tracker 3 import fixtures/interchange/toggl.csv --store "$log" "${berlin[@]}" --dry-run
tracker 0 import fixtures/interchange/apple-health.xml --store "$log" --yes
tracker 0 report --date 2026-03-05 --store "$log" "${now[@]}" --output "$work/report.html"

say "Two devices in step through a folder: what is changed on one is on the other"
laptop 0 init "$work/shared" --store "$work/other-slate.db" --name Laptop --no-encrypt
tower 0 join "$work/shared" --create slate="$work/tower.db" --name Tower
laptop 0 sync
tower 0 status

say "Both change one task without knowing of each other: nothing is lost, both show the same, and one of them decides"
for device in laptop tower; do
    sed "s/\"title\": \"Call dentist\"/\"title\": \"From the $device\"/" "$work/again.json" >"$work/$device-edit.json"
done
slate 0 import "$work/laptop-edit.json" --store "$work/other-slate.db" --yes
slate 0 import "$work/tower-edit.json" --store "$work/tower.db" --yes
laptop 0 sync
tower 3 sync
laptop 3 sync
laptop 3 conflicts --time-zone UTC
tower 0 resolve --all mine
laptop 0 sync
tower 0 log --limit 2 --time-zone UTC
for device in laptop tower; do
    SATCHEL_FOLDERSYNC="$work/$device.json" "$programs/foldersync" verify | sed 's/.*digest //'
done | uniq | wc -l | grep -qx 1 || { echo "demo: the devices differ" >&2; failed=1; }

say "A phone that can only export takes part: its export is three-way, and it gets a file that it can import"
mkdir "$work/phone"
laptop 0 inbox add "$work/phone" --device Phone
slate 0 export --plain --store "$work/other-slate.db" --output "$work/phone" --now 2025-11-05T12:00:00Z --time-zone UTC
laptop 0 sync
sed 's/"exported_at": "2025-11-05/"exported_at": "2025-11-06/; s/"Renew passport"/"Renew the passport"/' \
    "$work/phone/Slate-20251105.json" >"$work/phone/Slate-20251106.json"
laptop 0 sync
tower 0 sync
laptop 0 inbox list

printf '\n'
[ "$failed" -eq 0 ] && echo "demo: everything went as it should"
exit "$failed"
