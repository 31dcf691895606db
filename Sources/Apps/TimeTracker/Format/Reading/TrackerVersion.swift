import FormatKit
import StrictJSON

/// Tells which version of the tracker export a document is.
enum TrackerVersion {
    /// The version, or why it cannot be told, with the place to point at.
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        guard root.kind == .object else {
            let message = "a file of version 1 is an object with \"activities\" and \"buttons\", and this one is a list"
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        return try TrackerMigrations.chain().version(ofEnveloped: root)
    }
}
