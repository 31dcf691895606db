// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "satchel-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, because the identity of a path is the name of its folder, which differs from clone to clone.
        .package(name: "satchel", path: "..")
    ],
    targets: [
        .target(name: "BenchHarness", swiftSettings: strict),
        .executableTarget(
            name: "satchel-bench",
            dependencies: [
                "BenchHarness",
                .product(name: "JSONSchemaValidation", package: "satchel"),
                .product(name: "StrictJSON", package: "satchel"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "schema-bench",
            dependencies: [
                "BenchHarness",
                .product(name: "JSONSchemaValidation", package: "satchel"),
                .product(name: "StrictJSON", package: "satchel"),
            ],
            swiftSettings: strict
        ),
        // Speaks the protocol of Bowtie, which compares validators.
        .executableTarget(
            name: "bowtie-satchel",
            dependencies: [
                .product(name: "JSONSchemaValidation", package: "satchel"),
                .product(name: "StrictJSON", package: "satchel"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "merge-bench",
            dependencies: [
                .product(name: "RecordMerge", package: "satchel"),
                .product(name: "SQLiteDatabase", package: "satchel"),
                .product(name: "StrictJSON", package: "satchel"),
            ],
            swiftSettings: strict
        ),
        // A program of its own, so that Foundation weighs on its memory and not on ours.
        .executableTarget(name: "foundation-bench", dependencies: ["BenchHarness"], swiftSettings: strict),
    ]
)
