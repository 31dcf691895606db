import StrictJSON

/// Tells which version of the tracker export a document is.
enum TrackerVersion {
    /// The version, or why it cannot be told, with the place to point at.
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        guard root.kind == .object else {
            let message = "a file of version 1 is an object with \"activities\" and \"buttons\", and this one is a list"
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        let isNamed = root["format"]?.string != nil
        guard let node = root["version"] else {
            guard isNamed else { return 1 }
            let message = "\"version\" is missing; it is 2 in a file with \"format\""
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        let place = JSONPointer(tokens: ["version"])
        let chain = try TrackerMigrations.chain()
        if let version = node.int, version > 0 {
            do throws(AppFormatError) { try chain.check(version) } catch {
                throw AppFormatError(error.code, error.message, at: place)
            }
            guard version > 1 || !isNamed else {
                throw AppFormatError(
                    .versionInvalid,
                    "a file of version 1 has no \"format\", and this one has",
                    at: place
                )
            }
            return version
        }
        guard let token = node.number?.token, node.int == nil, token.utf8.allSatisfy({ (48...57).contains($0) }) else {
            let found = String(decoding: node.value.encoded(.compact).prefix(60), as: UTF8.self)
            throw AppFormatError(.versionInvalid, "\"version\" is \(found); it must be a positive integer", at: place)
        }
        let newest = "\(chain.current), the newest that this program knows"
        let message = "version \(token) of \(TrackerExport.format) is newer than \(newest)"
        throw AppFormatError(.versionNewer, message, at: place)
    }
}
