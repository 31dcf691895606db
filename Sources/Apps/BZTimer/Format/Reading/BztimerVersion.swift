import FormatKit
import StrictJSON

/// Tells which version of `.bztimer` a document is.
enum BztimerVersion {
    /// The version, or why it cannot be told, with the place to point at.
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        let isNamed = root["format"] != nil
        let isBare = root["items"] != nil
        guard let node = root["version"] else {
            if isBare { return 1 }
            let message =
                "\"version\" is missing; it is 2 in a file with one \"session\" and 3 in one with \"sessions\""
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        // A bare session has no version, so a member of that name that is no number is the app's own.
        if !isNamed, node.kind != .number { return 1 }
        let version = try BztimerMigrations.chain().version(in: node, named: "version")
        guard isNamed || version == 1 else {
            let message = "a file of version \(version) says \"format\": \"bztimer\", and this one does not"
            throw AppFormatError(.versionInvalid, message, at: JSONPointer(tokens: ["version"]))
        }
        return version
    }
}
