#!/usr/bin/env bash
# Puts man pages, shell completions and systemd units of the built programs into a folder. The units name the programs
# where they will be, in the folder BINDIR.
# usage: stage.sh FOLDER FOLDER-OF-PROGRAMS PROGRAM…
set -euo pipefail
cd "$(dirname "$0")/.."
stage=$1 programs=$2
shift 2
swift=${SWIFT:-swift} scratch=${SCRATCH:-.build} bindir=${BINDIR:-/usr/local/bin}

rm -rf "$stage"
mkdir -p "$stage"

# argument-parser's plugin would build everything once more; asking it for help builds its tool alone.
"$swift" package --scratch-path "$scratch" generate-manual --help >/dev/null
manual=$scratch/debug/generate-manual-tool
released=$(sed -n 's/^## \[[0-9][^]]*\] - \([0-9-]*\)$/\1/p' CHANGELOG.md | head -n 1)

for program in "$@"; do
    "$manual" "$programs/$program" --output-directory "$stage" --date "$released"
    # The options that every command takes are no arguments of ArgumentParser's.
    {
        printf '.Sh COMMON OPTIONS\n.Bd -literal\n'
        "$programs/$program" --help | sed '1,/^COMMON OPTIONS:/d'
        echo .Ed
    } >>"$stage/$program.1"
    "$programs/$program" --generate-completion-script bash >"$stage/$program.bash"
    "$programs/$program" --generate-completion-script zsh >"$stage/_$program"
    "$programs/$program" --generate-completion-script fish >"$stage/$program.fish"
    for unit in scripts/systemd/"$program".*; do
        [ -e "$unit" ] || continue
        sed "s|@BINDIR@|$bindir|" "$unit" >"$stage/${unit##*/}"
    done
done
