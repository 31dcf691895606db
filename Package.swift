// swift-tools-version: 6.2

import PackageDescription

/// Every target: Swift 6 mode, explicit `any`, an import for each module whose members are used, imports that do not
/// leak into the interface, and no warning left standing.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Test targets: the same settings without optimisation, which halves their build time, and without a second pass for
/// the module, which nobody waits for.
let tested = strict + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// The programs: the same settings, and no optimisation where SATCHEL_TESTED says that tests are built, as optimising
/// the four takes a sixth of that build.
let commands =
    Context.environment["SATCHEL_TESTED"] == nil
    ? strict : strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// A program that starts quickly: the system's loader loads only libraries that are called directly, and finds no
/// symbols that nobody looks up, which `--static-swift-stdlib` would export.
let quickStart: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-Xclang-linker", "--config=\(Context.packageDirectory)/scripts/linux-linker.cfg",
            "-Xlinker", "--no-export-dynamic",
        ],
        .when(platforms: [.linux])
    )
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

/// Schemas that are compiled into the programs, so that a program is one file.
func schemas(_ names: String..., in folder: String) -> [Resource] {
    names.map { .embedInCode("../../../Schemas/\(folder)/\($0)") }
}

/// An app: its formats, what holds between its records, and its store, all in one folder.
func app(_ name: String, uses others: [Target.Dependency] = [], _ resources: [Resource]) -> Target {
    let shared: [Target.Dependency] = [
        "CivilTime", "FileSystem", "FormatKit", "JSONSchemaValidation", "RecordStore", "SQLiteDatabase", "StrictJSON",
        crypto,
    ]
    return .target(
        name: name,
        dependencies: shared + others,
        path: "Sources/Apps/\(name)",
        resources: resources,
        swiftSettings: strict
    )
}

/// All apps, and the list of them.
let apps: [Target.Dependency] = ["AppList", "BZTimer", "GymPulse", "Slate", "StudyTimer", "TimeTracker"]
let appParts: [Target.Dependency] = apps + ["CivilTime", "FormatKit", "RecordStore"]

let package = Package(
    name: "satchel",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "AgeFile", targets: ["AgeFile"]),
        .library(name: "CivilTime", targets: ["CivilTime"]),
        .library(name: "StrictJSON", targets: ["StrictJSON"]),
        .library(name: "StrictJSONFoundation", targets: ["StrictJSONFoundation"]),
        .library(name: "JSONSchemaValidation", targets: ["JSONSchemaValidation"]),
        .library(name: "ArchiveIO", targets: ["ArchiveIO"]),
        .library(name: "Apps", targets: ["BZTimer", "GymPulse", "Slate", "StudyTimer", "TimeTracker"]),
        .library(name: "FormatKit", targets: ["FormatKit"]),
        .library(name: "Interchange", targets: ["Interchange"]),
        .library(name: "RecordStore", targets: ["RecordStore"]),
        .library(name: "RecordMerge", targets: ["RecordMerge"]),
        .library(name: "SQLiteDatabase", targets: ["SQLiteDatabase"]),
        .library(name: "DirectorySync", targets: ["DirectorySync"]),
        .library(name: "ArchiveCompression", targets: ["ArchiveCompression"]),
        .executable(name: "satchel", targets: ["satchel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .target(name: "AgeFile", dependencies: [crypto, cryptoExtras], swiftSettings: strict),
        .target(
            name: "FolderEncryption",
            dependencies: ["AgeFile", "StrictJSON", crypto],
            swiftSettings: strict
        ),
        .target(name: "FileSystem", dependencies: [system], swiftSettings: strict),
        .target(name: "LibraryLoading"),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(name: "SQLiteDatabase", dependencies: ["CSQLite"], swiftSettings: strict),
        .target(name: "StrictJSON", swiftSettings: strict),
        .target(name: "StrictJSONFoundation", dependencies: ["StrictJSON"], swiftSettings: strict),
        .target(name: "JSONSchemaValidation", dependencies: ["StrictJSON"], swiftSettings: strict),
        .systemLibrary(
            name: "CLibArchive",
            pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]
        ),
        .target(name: "LibArchiveLoading", dependencies: ["CLibArchive", "LibraryLoading"]),
        .target(
            name: "ArchiveIO",
            dependencies: ["CLibArchive", "LibArchiveLoading", "StrictJSON", crypto],
            swiftSettings: strict
        ),
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
        ),
        .target(name: "LibXML2Loading", dependencies: ["CLibXML2", "LibraryLoading"]),
        .target(name: "XMLIO", dependencies: ["CLibXML2", "LibXML2Loading", "StrictJSON"], swiftSettings: strict),
        .target(
            name: "CivilTime",
            dependencies: ["FileSystem", "JSONSchemaValidation", "StrictJSON"],
            swiftSettings: strict
        ),
        .target(
            name: "Pages",
            dependencies: ["CivilTime", "StrictJSON"],
            resources: [
                .embedInCode("Assets/pages.css"), .embedInCode("Assets/apps.css"), .embedInCode("Assets/pages.js"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "FormatKit",
            dependencies: ["CivilTime", "JSONSchemaValidation", "StrictJSON", crypto],
            swiftSettings: strict
        ),
        .target(
            name: "RecordStore",
            dependencies: [
                "CivilTime", "CSQLite", "FileSystem", "FormatKit", "JSONSchemaValidation", "RecordMerge",
                "SQLiteDatabase", "StrictJSON", crypto, system,
            ],
            resources: [.embedInCode("../../Schemas/declaration/declaration-1.schema.json")],
            swiftSettings: strict
        ),
        app(
            "BZTimer",
            uses: ["GymPulse"],
            schemas(
                "bztimer-1.schema.json",
                "bztimer-2.schema.json",
                "bztimer-3.schema.json",
                "bztimer-store-1.schema.json",
                in: "bztimer"
            )
        ),
        app("GymPulse", schemas("presets-1.schema.json", "presets-2.schema.json", in: "presets")),
        app("Slate", schemas("slate-1.schema.json", "slate-2.schema.json", in: "slate")),
        app("StudyTimer", uses: ["TimeTracker"], schemas("study-1.schema.json", "study-2.schema.json", in: "study")),
        app("TimeTracker", schemas("tracker-1.schema.json", "tracker-2.schema.json", in: "tracker")),
        .target(
            name: "AppList",
            dependencies: ["BZTimer", "GymPulse", "RecordStore", "Slate", "StudyTimer", "TimeTracker"],
            path: "Sources/Apps/AppList",
            swiftSettings: strict
        ),
        .target(
            name: "Interchange",
            dependencies: appParts + ["ArchiveIO", "Pages", "StrictJSON", "XMLIO"],
            resources: [.embedInCode("../../Schemas/tracker/tracker-2.rng")],
            swiftSettings: strict
        ),
        .target(name: "RecordMerge", dependencies: ["StrictJSON", crypto], swiftSettings: strict),
        .target(
            name: "DirectorySync",
            dependencies: [
                "AgeFile", "CivilTime", "CSQLite", "FileSystem", "FolderEncryption", "FormatKit", "RecordMerge",
                "RecordStore", "SQLiteDatabase", "StrictJSON", crypto, system,
            ],
            swiftSettings: strict
        ),
        .target(name: "ArchiveCompression", dependencies: ["ArchiveIO", "DirectorySync"], swiftSettings: strict),
        .target(
            name: "CommandSupport",
            dependencies: appParts + [
                "AgeFile", "ArchiveIO", "FileSystem", "JSONSchemaValidation", "Pages", "RecordMerge", "StrictJSON",
                argumentParser, crypto, system,
            ],
            swiftSettings: strict
        ),
        .systemLibrary(
            name: "CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .target(name: "LibYAMLLoading", dependencies: ["CLibYAML", "LibraryLoading"]),
        .target(
            name: "bzpack",
            dependencies: appParts + [
                "ArchiveIO", "CLibYAML", "CommandSupport", "FileSystem", "Interchange", "JSONSchemaValidation",
                "LibYAMLLoading", "Pages", "RecordMerge", "StrictJSON", argumentParser, crypto,
            ],
            resources: [.embedInCode("Page/session.html")],
            swiftSettings: commands
        ),
        .target(
            name: "slate-backup",
            dependencies: appParts + [
                "ArchiveIO", "CommandSupport", "FileSystem", "JSONSchemaValidation", "Pages", "RecordMerge",
                "StrictJSON", argumentParser,
            ],
            swiftSettings: commands
        ),
        .target(
            name: "tracker-export",
            dependencies: appParts + [
                "ArchiveIO", "CommandSupport", "FileSystem", "Interchange", "Pages", "RecordMerge", "StrictJSON",
                "XMLIO", argumentParser,
            ],
            swiftSettings: commands
        ),
        .target(
            name: "foldersync",
            dependencies: appParts + [
                "AgeFile", "ArchiveCompression",
                "CommandSupport", "DirectorySync", "FileSystem", "FolderEncryption", "JSONSchemaValidation", "Pages",
                "RecordMerge", "StrictJSON", argumentParser, crypto,
            ],
            swiftSettings: commands
        ),
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "satchel",
            dependencies: appParts + [
                "bzpack", "CMalloc", "CommandSupport", "foldersync", "Pages", "slate-backup", "StrictJSON",
                "tracker-export",
                argumentParser,
            ],
            swiftSettings: strict,
            linkerSettings: quickStart
        ),
        .target(
            name: "TestSupport",
            dependencies: ["CSQLite", "StrictJSON", crypto, subprocess, system],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "AgeFileTests",
            dependencies: ["AgeFile", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "SQLiteDatabaseTests",
            dependencies: ["SQLiteDatabase", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "FolderEncryptionTests",
            dependencies: ["AgeFile", "FolderEncryption", "StrictJSON", "TestSupport", crypto],
            swiftSettings: tested
        ),
        .testTarget(
            name: "StrictJSONTests",
            dependencies: ["StrictJSON", "StrictJSONFoundation", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "JSONSchemaValidationTests",
            dependencies: ["JSONSchemaValidation", "StrictJSON", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "ArchiveIOTests",
            dependencies: ["ArchiveIO", "StrictJSON", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(name: "XMLIOTests", dependencies: ["XMLIO", "StrictJSON", "TestSupport"], swiftSettings: tested),
        .testTarget(
            name: "AppFormatsTests",
            dependencies: appParts + ["JSONSchemaValidation", "StrictJSON", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "InterchangeTests",
            dependencies: appParts + ["Interchange", "ArchiveIO", "StrictJSON", "TestSupport", "XMLIO"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "AppStoresTests",
            dependencies: appParts + ["SQLiteDatabase", "StrictJSON", "TestSupport"],
            swiftSettings: tested
        ),
        .testTarget(
            name: "RecordMergeTests",
            dependencies: appParts + ["RecordMerge", "StrictJSON", "TestSupport", crypto],
            swiftSettings: tested
        ),
        .testTarget(
            name: "DirectorySyncTests",
            dependencies: appParts + [
                "AgeFile", "ArchiveCompression",
                "bzpack", "foldersync", "satchel", "slate-backup", "tracker-export", "ArchiveIO",
                "CommandSupport", "DirectorySync", "FileSystem", "FolderEncryption", "JSONSchemaValidation",
                "RecordMerge", "SQLiteDatabase", "StrictJSON", "TestSupport", crypto, subprocess, system,
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "LivesTests",
            dependencies: appParts + [
                "ArchiveCompression",
                "foldersync", "AgeFile", "CommandSupport", "DirectorySync", "FolderEncryption", "RecordMerge",
                "SQLiteDatabase",
                "StrictJSON", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "PagesTests",
            dependencies: appParts + [
                "bzpack", "foldersync", "satchel", "slate-backup", "tracker-export", "CommandSupport", "DirectorySync",
                "FileSystem", "Pages", "SQLiteDatabase", "StrictJSON", "TestSupport", subprocess,
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: appParts + [
                "bzpack", "foldersync", "satchel", "slate-backup", "tracker-export", "ArchiveIO", "CommandSupport",
                "FileSystem", "SQLiteDatabase", "StrictJSON", "TestSupport", crypto, subprocess, system,
            ],
            exclude: [
                "Wording/messages.txt", "Journeys/trainer.txt", "Journeys/client.txt", "Journeys/slate.txt",
                "Journeys/toggl.txt",
                "Journeys/student.txt", "Journeys/family.txt", "Journeys/terminal.txt",
            ],
            swiftSettings: tested
        ),
    ]
)

// The documentation plugin is fetched only where `make docs` asks for it.
if Context.environment["SATCHEL_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
