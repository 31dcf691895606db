package import RecordStore
internal import StrictJSON

/// Declarations of apps in the folder: immutable files `app/<app>.<revision>-<hash>.app`, whose hash is that of their bytes.
extension SyncDirectory {
    static let declarations = "app"

    /// Writes a declaration, unless it exists undamaged.
    package func publish(_ declaration: AppDeclaration) throws(DirectoryError) {
        let (name, bytes) = declaration.file
        let path = "\(Self.declarations)/\(name)"
        try makeFolder(Self.declarations)
        _ = try publish(bytes, as: path, by: "app") { path throws(DirectoryError) in
            try files.open(path).bytes(limit: AppDeclaration.mostBytes) == bytes
        }
    }

    /// Returns the newest declaration of each app, by its identifier; it ignores files that do not match their names.
    package func declarations() -> [AppDeclaration] {
        try? files.refresh()
        let names = (try? files.names(in: Self.declarations).names) ?? []
        var newest: [String: AppDeclaration] = [:]
        // All devices use the first by name of two with one revision.
        for name in names.sorted() {
            guard let named = Self.declared(name), newest[named.app].map({ $0.revision < named.revision }) ?? true,
                let declaration = try? declaration(name, named)
            else { continue }
            newest[named.app] = declaration
        }
        return newest.values.sorted { $0.app < $1.app }
    }

    /// Returns the declarations of an app with a revision, by the names of their files.
    package func declarations(of app: String, revision: Int) -> [AppDeclaration] {
        try? files.refresh()
        var found: [String: AppDeclaration] = [:]
        for name in (try? files.names(in: Self.declarations).names) ?? [] {
            guard let named = Self.declared(name), named.app == app, named.revision == revision,
                let declaration = try? declaration(name, named)
            else { continue }
            // A transport's copy is the same.
            found[named.hash] = declaration
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Reads app, revision and hash of a name, to which a transport may have added something.
    private static func declared(_ name: String) -> (app: String, revision: Int, hash: String)? {
        let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, AppID(rawValue: String(parts[0])) != nil else { return nil }
        let rest = parts[1].split(separator: "-", maxSplits: 1)
        guard rest.count == 2, let revision = Int(rest[0]), rest[1].utf8.count >= ContentHash.length else { return nil }
        return (String(parts[0]), revision, String(rest[1].prefix(ContentHash.length)))
    }

    private func declaration(
        _ name: String,
        _ named: (app: String, revision: Int, hash: String)
    ) throws -> AppDeclaration? {
        let file = try files.open("\(Self.declarations)/\(name)")
        let bytes = try file.bytes(limit: AppDeclaration.mostBytes)
        guard AppDeclaration.hash(bytes) == named.hash else { return nil }
        let declaration = try AppDeclaration(reading: bytes, name: name)
        return declaration.app == named.app && declaration.revision == named.revision ? declaration : nil
    }
}
