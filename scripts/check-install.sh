#!/usr/bin/env bash
# Checks that an installation under PREFIX works: usage: check-install.sh PREFIX
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=$1
share=$prefix/share

present() {
    [ -s "$1" ] || { echo "install: missing or empty: $1" >&2; exit 1; }
}

present "$share/man/man1/bzpack.1"
present "$share/bash-completion/completions/bzpack"
present "$share/zsh/site-functions/_bzpack"
present "$share/fish/vendor_completions.d/bzpack.fish"
grep -q 'schema' "$share/man/man1/bzpack.1" || { echo "install: bzpack.1 lacks its commands" >&2; exit 1; }
bash -n "$share/bash-completion/completions/bzpack"

store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
"$prefix/bin/bzpack" --version
"$prefix/bin/bzpack" init --sample --store "$store/bztimer.db"
"$prefix/bin/bzpack" list --store "$store/bztimer.db"
echo "install: programs, man pages and completions work from $prefix"
