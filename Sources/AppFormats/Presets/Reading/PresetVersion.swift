import StrictJSON

/// Tells which version of GymPulse presets a document is.
enum PresetVersion {
    /// The version, or why it cannot be told, with the place to point at.
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        if root.kind == .array { return 1 }
        guard let node = root["version"] else {
            let message = "\"version\" is missing; it is 2 in a file with \"presets\""
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        let place = JSONPointer(tokens: ["version"])
        let version: Int
        do throws(AppFormatError) {
            version = try read(node)
        } catch {
            throw AppFormatError(error.code, error.message, at: place)
        }
        guard version > 1 else {
            throw AppFormatError(.versionInvalid, "a file of version 1 is a bare list, and this one is not", at: place)
        }
        return version
    }

    private static func read(_ node: JSONNode) throws(AppFormatError) -> Int {
        let chain = try PresetMigrations.chain()
        if let version = node.int, version > 0 {
            try chain.check(version)
            return version
        }
        guard let token = node.number?.token, node.int == nil, token.utf8.allSatisfy({ (48...57).contains($0) }) else {
            let found = String(decoding: node.value.encoded(.compact).prefix(60), as: UTF8.self)
            throw AppFormatError(.versionInvalid, "\"version\" is \(found); it must be a positive integer")
        }
        let newest = "\(chain.current), the newest that this program knows"
        throw AppFormatError(.versionNewer, "version \(token) of \(PresetFile.format) is newer than \(newest)")
    }
}
