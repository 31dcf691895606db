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

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")

let package = Package(
    name: "fuzzing",
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .target(name: "StrictJSON", swiftSettings: fuzzed),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .target(name: "XMLIO", dependencies: ["CLibXML2", "StrictJSON"], swiftSettings: fuzzed),
        .target(name: "AgeFile", dependencies: [crypto, cryptoExtras], swiftSettings: fuzzed),
        .target(name: "FolderEncryption", dependencies: ["AgeFile", "StrictJSON", crypto], swiftSettings: fuzzed),
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
        .executableTarget(
            name: "FuzzAge",
            dependencies: ["AgeFile"],
            swiftSettings: fuzzed,
            linkerSettings: linked
        ),
        .executableTarget(
            name: "FuzzSealed",
            dependencies: ["AgeFile", "FolderEncryption"],
            swiftSettings: fuzzed,
            linkerSettings: linked
        ),
        .executableTarget(
            name: "FuzzKeys",
            dependencies: ["AgeFile", "FolderEncryption"],
            swiftSettings: fuzzed,
            linkerSettings: linked
        ),
    ]
)
