// swift-tools-version: 6.2

import PackageDescription

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let satchel = ["DirectorySync", "RecordMerge", "RecordStore", "StrictJSON"].map {
    Target.Dependency.product(name: $0, package: "satchel")
}
let compression = Target.Dependency.product(name: "ArchiveCompression", package: "satchel")

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "satchel", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "Notes", dependencies: satchel + [grdb]),
        .testTarget(name: "NotesTests", dependencies: ["Notes", compression] + satchel + [grdb]),
    ]
)
