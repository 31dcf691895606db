package import StrictJSON

extension MigrationChain {
    /// Returns the version that a document claims in a member of its top level.
    ///
    /// - Parameters:
    ///   - node: The member's value.
    ///   - name: The member's name, which is also its place.
    /// - Throws: `version.invalid` where it is no positive integer or there is no such version, `version.newer` where it is
    ///   newer than this program knows, however many digits it has.
    package func version(in node: JSONNode, named name: String) throws(AppFormatError) -> Int {
        let place = JSONPointer(tokens: [name])
        if let version = node.int, version > 0 {
            do throws(AppFormatError) {
                try check(version)
            } catch {
                throw AppFormatError(error.code, error.message, at: place)
            }
            return version
        }
        guard let token = node.number?.token, node.int == nil, token.utf8.allSatisfy({ (48...57).contains($0) }) else {
            let found = String(decoding: node.value.encoded(.compact).prefix(60), as: UTF8.self)
            throw AppFormatError(.versionInvalid, "\"\(name)\" is \(found); it must be a positive integer", at: place)
        }
        let newest = "\(current), the newest that this program knows; update the program"
        throw AppFormatError(.versionNewer, "version \(token) of \(format) is newer than \(newest)", at: place)
    }

    /// Returns the version of a document that has an envelope with `format` and `version` from version 2 on.
    ///
    /// A document of version 1 had no envelope.
    ///
    /// - Throws: what ``version(in:named:)`` throws; `version.missing` where there is an envelope without a version,
    ///   `version.invalid` where it says that it is of version 1.
    package func version(ofEnveloped root: JSONNode) throws(AppFormatError) -> Int {
        let isNamed = root["format"]?.string != nil
        guard let node = root["version"] else {
            guard isNamed else { return 1 }
            let message = "\"version\" is missing; it is \(current) in a file with \"format\""
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        let version = try version(in: node, named: "version")
        guard version > 1 || !isNamed else {
            throw AppFormatError(
                .versionInvalid,
                "a file of version 1 has no \"format\", and this one has",
                at: JSONPointer(tokens: ["version"])
            )
        }
        return version
    }
}
