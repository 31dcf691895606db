// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ReadSession",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "satchel", path: "../..")],
    targets: [
        .executableTarget(
            name: "ReadSession",
            dependencies: [
                .product(name: "Apps", package: "satchel"),
                .product(name: "StrictJSON", package: "satchel"),
            ]
        )
    ]
)
