#!/usr/bin/env bash
# Checks for the system libraries that the package links with; installs what is missing and says so.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
    echo "setup: no 'swift' in PATH; Swift 6.2 or later is needed (https://www.swift.org/install)" >&2
    exit 1
fi

has_library() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }

if [ "$(uname -s)" = Darwin ]; then
    missing=()
    command -v pkg-config >/dev/null 2>&1 || missing+=(pkgconf)
    has_library libarchive || [ -d "$(brew --prefix 2>/dev/null)/opt/libarchive" ] || missing+=(libarchive)
    has_library libxml-2.0 || [ -d "$(brew --prefix 2>/dev/null)/opt/libxml2" ] || missing+=(libxml2)
    has_library yaml-0.1 || [ -d "$(brew --prefix 2>/dev/null)/opt/libyaml" ] || missing+=(libyaml)
    if [ ${#missing[@]} -gt 0 ]; then
        echo "setup: missing: ${missing[*]}; install with: brew install ${missing[*]}" >&2
        exit 1
    fi
    exit 0
fi

missing=()
command -v pkg-config >/dev/null 2>&1 || missing+=(pkg-config)
has_library libarchive || missing+=(libarchive-dev)
has_library libxml-2.0 || missing+=(libxml2-dev)
has_library sqlite3 || missing+=(libsqlite3-dev)
has_library yaml-0.1 || missing+=(libyaml-dev)
# Times of other zones are computed from the system's table of zones.
[ -e /usr/share/zoneinfo/UTC ] || missing+=(tzdata)
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: missing the development files of: ${missing[*]} (Debian's names); install them and try again" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: missing: ${missing[*]}; as root run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]} with apt-get"
export DEBIAN_FRONTEND=noninteractive
${as_root[@]+"${as_root[@]}"} apt-get update -qq
${as_root[@]+"${as_root[@]}"} apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
echo "setup: installed ${missing[*]}"
