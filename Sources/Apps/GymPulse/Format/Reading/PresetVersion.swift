import FormatKit
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
        let version = try PresetMigrations.chain().version(in: node, named: "version")
        guard version > 1 else {
            let place = JSONPointer(tokens: ["version"])
            throw AppFormatError(.versionInvalid, "a file of version 1 is a bare list, and this one is not", at: place)
        }
        return version
    }
}
