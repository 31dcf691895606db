import StrictJSON

/// Tells which version of the export a document is.
enum SlateVersion {
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        let pointer = JSONPointer(tokens: [SlateMember.version])
        guard let node = root[SlateMember.version] else {
            throw AppFormatError(.versionMissing, "\"schema_version\" is missing; it is 1 or 2", at: .root)
        }
        let chain = try SlateMigrations.chain()
        if let version = node.int {
            guard version > 0 else { throw invalid(node, at: pointer) }
            do throws(AppFormatError) {
                try chain.check(version)
            } catch {
                throw AppFormatError(error.code, error.message, at: pointer)
            }
            return version
        }
        guard let token = node.number?.token, token.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw invalid(node, at: pointer)
        }
        let newest = "\(chain.current), the newest that this program knows"
        throw AppFormatError(.versionNewer, "version \(token) of slate is newer than \(newest)", at: pointer)
    }

    private static func invalid(_ node: JSONNode, at pointer: JSONPointer) -> AppFormatError {
        let found = String(decoding: node.value.encoded(.compact).prefix(60), as: UTF8.self)
        return AppFormatError(
            .versionInvalid,
            "\"schema_version\" is \(found); it must be a positive integer",
            at: pointer
        )
    }
}
