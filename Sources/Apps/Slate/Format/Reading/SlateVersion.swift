import FormatKit
import StrictJSON

/// Tells which version of the export a document is.
enum SlateVersion {
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        guard let node = root[SlateMember.version] else {
            throw AppFormatError(.versionMissing, "\"schema_version\" is missing; it is 1 or 2", at: .root)
        }
        return try SlateMigrations.chain().version(in: node, named: SlateMember.version)
    }
}
