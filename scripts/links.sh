#!/usr/bin/env bash
# Gives the built program the names of its parts: usage: links.sh FOLDER-OF-PROGRAMS
set -euo pipefail
for name in bzpack slate-backup tracker-export foldersync; do
    # A link that is made anew is absent for a moment, in which something may start it.
    [ "$(readlink "$1/$name")" = satchel ] || ln -sfn satchel "$1/$name"
done
