#!/usr/bin/env bash
# Checks that an installation under PREFIX works: usage: check-install.sh PREFIX
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=$1
share=$prefix/share

present() {
    [ -s "$1" ] || { echo "install: missing or empty: $1" >&2; exit 1; }
}

for program in satchel bzpack slate-backup tracker-export foldersync; do
    present "$share/man/man1/$program.1"
    present "$share/bash-completion/completions/$program"
    present "$share/zsh/site-functions/_$program"
    present "$share/fish/vendor_completions.d/$program.fish"
    grep -q 'init' "$share/man/man1/$program.1" || { echo "install: $program.1 lacks its commands" >&2; exit 1; }
    bash -n "$share/bash-completion/completions/$program"
done

store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
for program in satchel bzpack slate-backup tracker-export foldersync; do
    "$prefix/bin/$program" --version
done
# Loaded by the first call instead: a start that loads them takes a third longer.
if readelf -d "$prefix/bin/satchel" 2>/dev/null | grep -E 'NEEDED.*(archive|xml2|yaml)' >&2; then
    echo "install: these libraries are loaded at the start; has a function no line in Sources/Lib*Loading?" >&2
    exit 1
fi
"$prefix/bin/bzpack" init --sample --store "$store/bztimer.db"
"$prefix/bin/bzpack" list --store "$store/bztimer.db"
scripts/check-units.sh "$prefix"
echo "install: programs, man pages and completions work from $prefix"
