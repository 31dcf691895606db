package import RecordStore
internal import StrictJSON

/// Declarations of apps in the folder: immutable files `app/<app>.<revision>-<hash>.app`, whose hash is that of their bytes.
extension SyncDirectory {
    static let declarations = "app"

    /// Writes a declaration, unless it is there.
    package func publish(_ declaration: AppDeclaration) throws(DirectoryError) {
        let (name, bytes) = declaration.file
        let path = "\(Self.declarations)/\(name)"
        if (try? FolderCalls.exists(absolute(path))) == true { return }
        try makeFolder(Self.declarations)
        _ = try publish(bytes, as: path, by: "app") { path throws(DirectoryError) in
            try SharedFile(reading: path).bytes(limit: AppDeclaration.mostBytes) == bytes
        }
    }

    /// The newest declaration of each app, by its identifier; files that are not what their names say are passed over.
    package func declarations() -> [AppDeclaration] {
        let names = (try? FolderCalls.names(in: absolute(Self.declarations)).names) ?? []
        var newest: [String: AppDeclaration] = [:]
        // Of two with one revision all devices take the one whose name is the first.
        for name in names.sorted() {
            guard let named = Self.declared(name), newest[named.app].map({ $0.revision < named.revision }) ?? true,
                let declaration = try? declaration(name, named)
            else { continue }
            newest[named.app] = declaration
        }
        return newest.values.sorted { $0.app < $1.app }
    }

    /// The app, the revision and the hash that a name says; a transport may have put something behind it.
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
        let file = try SharedFile(reading: absolute("\(Self.declarations)/\(name)"))
        let bytes = try file.bytes(limit: AppDeclaration.mostBytes)
        guard AppDeclaration.hash(bytes) == named.hash else { return nil }
        let declaration = try AppDeclaration(reading: bytes, name: name)
        return declaration.app == named.app && declaration.revision == named.revision ? declaration : nil
    }
}
