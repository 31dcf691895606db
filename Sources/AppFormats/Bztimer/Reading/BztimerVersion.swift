import StrictJSON

/// Tells which version of `.bztimer` a document is.
enum BztimerVersion {
    /// The version, or why it cannot be told, with the place to point at.
    static func detect(_ root: JSONNode) -> Result<Int, Fault> {
        let isNamed = root["format"] != nil
        let isBare = root["items"] != nil
        guard let node = root["version"] else {
            if isBare { return .success(1) }
            let message =
                "\"version\" is missing; it is 2 in a file with one \"session\" and 3 in one with \"sessions\""
            return .failure(Fault(error: AppFormatError(.versionMissing, message, at: .root)))
        }
        // A bare session has no version, so a member of that name that is no number is the app's own.
        if !isNamed, node.kind != .number { return .success(1) }
        return read(node).flatMap { version in
            guard isNamed || version == 1 else {
                let message = "a file of version \(version) says \"format\": \"bztimer\", and this one does not"
                return .failure(Fault(error: AppFormatError(.versionInvalid, message, at: versionPointer)))
            }
            return .success(version)
        }
    }

    /// Why a version cannot be used.
    struct Fault: Error {
        let error: AppFormatError
    }

    private static let versionPointer = JSONPointer(tokens: ["version"])

    private static func read(_ node: JSONNode) -> Result<Int, Fault> {
        do throws(AppFormatError) {
            let chain = try BztimerMigrations.chain()
            if let version = node.int {
                guard version > 0 else { throw invalid(node) }
                try chain.check(version)
                return .success(version)
            }
            guard let token = node.number?.token, token.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw invalid(node)
            }
            let newest = "\(chain.current), the newest that this program knows"
            throw AppFormatError(.versionNewer, "version \(token) of bztimer is newer than \(newest)")
        } catch {
            return .failure(Fault(error: AppFormatError(error.code, error.message, at: versionPointer)))
        }
    }

    private static func invalid(_ node: JSONNode) -> AppFormatError {
        let found = String(decoding: node.value.encoded(.compact).prefix(60), as: UTF8.self)
        return AppFormatError(.versionInvalid, "\"version\" is \(found); it must be a positive integer")
    }
}
