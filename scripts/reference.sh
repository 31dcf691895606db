#!/usr/bin/env bash
# Writes docs/reference from --help: a file for each part of satchel.
# usage: reference.sh FOLDER-OF-PROGRAMS [--check]; with --check it writes nothing, and fails where the files differ.
set -euo pipefail
programs=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
folder=docs/reference
[ "${2:-}" = --check ] && folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"

# The help of a command, as Markdown: what it is for, then the rest as it is. Each command has --version and --help.
page() {
    printf '\n## %s\n\n' "$*"
    "$programs/$1" "${@:2}" --help | awk '
        /^  --version  / || /^  -h, --help  / || /^  See .* for detailed help\.$/ { next }
        /^[A-Z ]+SUBCOMMANDS:$|^SUBCOMMANDS:$|^USAGE: |^ARGUMENTS:$|^OPTIONS:$/ { isText = 0; held = "" }
        /^OPTIONS:$/ { held = $0; next }
        sub(/^OVERVIEW: /, "") { isText = 1 }
        isText { text = text $0 "\n"; next }
        # The heading of the options goes where only those two are left.
        held != "" && NF { rest = rest held "\n"; held = "" }
        { rest = rest $0 "\n" }
        END {
            gsub(/\n+$/, "\n", text); gsub(/\n\n+/, "\n\n", rest); gsub(/\n+$/, "\n", rest)
            # Stars and the angle brackets of places to fill in are not meant as Markdown.
            gsub(/[<*]/, "\\\\&", text)
            printf "%s\n```\n%s```\n", text, rest
        }'
}

# The names of the commands below a command, in their order.
commands() {
    "$programs/$1" "${@:2}" --help | awk '
        /SUBCOMMANDS:$/ { isList = 1; next }
        /^[^ ]/ || /^  See / { isList = 0 }
        isList && /^  [a-z]/ { print $1 }'
}

pages() {
    page "$@"
    local name
    for name in $(commands "$@"); do
        # The schema commands have a page of their own.
        [ "$2 $name" = "timer schema" ] || pages "$@" "$name"
    done
}

for part in timer slate time study sync schema status doctor; do
    case $part in
    timer) also=', also `bzpack`' ;;
    slate) also=', also `slate-backup`' ;;
    time) also=', also `tracker-export`' ;;
    study) also=', also `tracker-export study`' ;;
    sync) also=', also `foldersync`' ;;
    schema) also=', also `bzpack schema`' ;;
    *) also= ;;
    esac
    {
        printf '# satchel %s%s\n\n' "$part" "$also"
        printf '`make reference` writes this page from `--help`. Every command also has `--version` and `--help`.\n'
        pages satchel "$part"
    } >"$folder/$part.md"
done

if [ "${2:-}" = --check ]; then
    diff -r "$folder" docs/reference >/dev/null ||
        { echo "docs/reference is not what --help says: make reference" >&2; exit 1; }
fi
