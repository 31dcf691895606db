// swift-tools-version: 6.2

import PackageDescription

let satchel = ["DirectorySync", "RecordMerge", "RecordStore", "SQLiteDatabase", "StrictJSON"].map {
    Target.Dependency.product(name: $0, package: "satchel")
}
let compression = Target.Dependency.product(name: "ArchiveCompression", package: "satchel")

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "satchel", path: "../..")],
    targets: [
        .target(name: "Notes", dependencies: satchel),
        .testTarget(name: "NotesTests", dependencies: ["Notes", compression] + satchel),
    ]
)
