// swift-tools-version: 6.2

import PackageDescription

/// Coverage for the fuzzer and checked memory, in the library as well: that is why its sources are linked into this
/// package instead of being a dependency.
let fuzzed: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]

let package = Package(
    name: "fuzzing",
    targets: [
        .target(name: "StrictJSON", swiftSettings: fuzzed),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .target(name: "XMLIO", dependencies: ["CLibXML2", "StrictJSON"], swiftSettings: fuzzed),
        .executableTarget(
            name: "FuzzDocument",
            dependencies: ["StrictJSON"],
            swiftSettings: fuzzed,
            linkerSettings: linked
        ),
        .executableTarget(
            name: "FuzzStream",
            dependencies: ["StrictJSON"],
            swiftSettings: fuzzed,
            linkerSettings: linked
        ),
        .executableTarget(
            name: "FuzzXML",
            dependencies: ["XMLIO"],
            swiftSettings: fuzzed,
            linkerSettings: linked
        ),
    ]
)
