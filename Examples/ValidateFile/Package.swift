// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ValidateFile",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "satchel", path: "../..")],
    targets: [
        .executableTarget(
            name: "ValidateFile",
            dependencies: [
                .product(name: "JSONSchemaValidation", package: "satchel"),
                .product(name: "StrictJSON", package: "satchel"),
                .product(name: "StrictJSONFoundation", package: "satchel"),
            ]
        )
    ]
)
