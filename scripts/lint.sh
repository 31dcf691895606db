#!/usr/bin/env bash
# Formatting, and what must not be in the tree. Prints each fault and fails if there is one.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0

report() { # heading, lines
    [ -n "$2" ] || return 0
    printf '%s\n%s\n' "lint: $1" "$2" >&2
    failed=1
}

sources=$(git ls-files --cached --others --exclude-standard 'Sources/*.swift' 'Tests/*.swift')
commands=$(printf '%s\n' "$sources" | grep -E '^Sources/(bzpack|slate-backup|tracker-export|foldersync|satchel)/' | xargs -r grep -l ParsableCommand)
longer_than() { # lines allowed; reads paths
    xargs -r wc -l | awk -v most="$1" '$2 != "total" && $1 > most { print "  " $2 ": " $1 " lines" }'
}

"${SWIFT:-swift}" format lint --strict --parallel --recursive Package.swift Sources Tests || failed=1

report "build products or pins in git" \
    "$(git ls-files | grep -E '(^|/)(\.build|\.swiftpm)/|(^|/)Package\.resolved$|\.pyc$')"
report "commands over 240 lines" "$(printf '%s\n' "$commands" | longer_than 240)"
report "traps in the sources" \
    "$(git grep -nE '\btry!|\bfatalError\(|\bas! |preconditionFailure\(' -- 'Sources/*.swift' | grep -v 'fatalError("out of memory')"
report "Foundation's JSON coders on a data path" \
    "$(git grep -nE '\bJSON(Decoder|Encoder|Serialization)\b' -- 'Sources/*.swift' ':!Sources/*/*.docc')"
report "programs or C modules imported from where they must not be" \
    "$(git grep -nE '^ *((internal|package|public|private|fileprivate) +)?(@testable +)?import +(bzpack|slate_backup|tracker_export|foldersync|CLibArchive|CLibXML2)\b' \
        -- 'Sources/*.swift' ':!Sources/ArchiveIO' ':!Sources/XMLIO' ':!Sources/satchel')"
report "left to do" "$(git grep -nE '\b(TODO|FIXME|XXX)\b' -- Sources Tests docs README.md CONTRIBUTING.md)"
report "public declarations that throw, without \"- Throws:\"" \
    "$(printf '%s\n' "$sources" | grep '^Sources/' | xargs -r scripts/undocumented-throws.awk)"
# A function's begins with a verb ("Returns …", "Tells whether …"), a property's with a noun or "True if".
report "doc comments that begin with \"What\", \"Whether\" or \"Who\"" \
    "$(printf '%s\n' "$sources" | grep '^Sources/' | xargs -r awk '
        !open && /^ *\/\/\/ (What|Whether|Who) / { print "  " FILENAME ":" FNR }
        { open = /^ *\/\/\// }')"
# A name made from the type's is made for every command at each start, by a search of all conformances: most of the start.
report "commands without a commandName" \
    "$(printf '%s\n' "$commands" | xargs -r awk '
        open && !/commandName:/ { print "  " FILENAME ":" FNR }
        { open = /CommandConfiguration\($/ }
        /CommandConfiguration\(./ && !/commandName:/ { print "  " FILENAME ":" FNR }')"
report "scripts that are not executable" \
    "$(git ls-files -s scripts .ci ':!scripts/systemd' | awk '$1 != "100755" && $4 !~ /\.(py|md|txt|cfg)$/ { print "  " $4 }')"

# Only where the program is built, and no source is younger than it.
program=.build/tested/release/satchel
if [ -x "$program" ] && [ -z "$(find Sources Package.swift -name '*.swift' -newer "$program" -print -quit)" ]; then
    scripts/reference.sh .build/tested/release --check || failed=1
fi

[ "$failed" -eq 0 ] && echo "lint: no findings"
exit "$failed"
