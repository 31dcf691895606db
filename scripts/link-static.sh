#!/usr/bin/env bash
# Links the built objects of satchel as SwiftPM links a release with --static-swift-stdlib, into a program of its own.
# usage: link-static.sh FOLDER-OF-BUILD PROGRAM
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
mkdir -p "$(dirname "$2")"
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
# The parts of Foundation that a compiler with -static-stdlib would name in the objects.
foundation=(-lFoundationInternationalization -l_FoundationICU -l_FoundationCShims -l_FoundationCollections -lCoreFoundation)
# shellcheck disable=SC2046
"$(dirname "$(command -v "$swift")")/swiftc" -static-stdlib -emit-executable -module-name satchel -o "$program" \
    @satchel.product/Objects.LinkFileList $(pkg-config --libs libxml-2.0 libarchive sqlite3 yaml-0.1) -lstdc++ \
    "${foundation[@]}" -Xlinker --gc-sections -Xlinker --defsym -Xlinker main=satchel_main \
    -Xclang-linker --config="$root/scripts/linux-linker.cfg" -Xlinker --no-export-dynamic -Xlinker -s 2>&1 |
    { grep -v -e 'mktemp. is dangerous' || true; }
