#!/usr/bin/env bash
# Gives the built program the names of its parts: usage: links.sh FOLDER-OF-PROGRAMS
set -euo pipefail
for name in bzpack slate-backup tracker-export foldersync; do ln -sfn satchel "$1/$name"; done
