public import CivilTime
public import FormatKit
public import StrictJSON

/// An export of a device, checked and in the current version of its format.
public struct InboxDocument: Sendable {
    /// The app that made it.
    public let app: AppID
    /// The content.
    public private(set) var value: JSONValue
    /// The time of the export, as the device states it.
    public let exportedAt: Timestamp?
    /// True if it is complete, so that a missing record was deleted.
    public let isWhole: Bool
    /// The parts that stay the device's own, such as the day on which its app was last opened; nil for none.
    public let own: String?
    /// True if its app imports the file that is written for the device.
    public let isAnswered: Bool
    /// Warnings about an export that can still be used.
    public let warnings: [Diagnostic]
    /// The version of the export; nil where its format has one version.
    public let version: DocumentVersion?
    /// The collections that the export cannot contain.
    public let unsaid: Set<String>
    /// The columns that rows of the export name, by table; empty for an app whose exports have versions.
    public let columns: [String: Set<String>]

    /// Makes the reading of a usable export.
    ///
    /// - Parameter findings: The findings of its reader, of which it keeps the warnings.
    public init(
        _ app: AppID,
        _ value: JSONValue,
        exportedAt: String?,
        isWhole: Bool,
        own: String? = nil,
        version: DocumentVersion? = nil,
        unsaid: Set<String> = [],
        columns: [String: Set<String>] = [:],
        isAnswered: Bool = true,
        _ findings: [Diagnostic]
    ) {
        self.app = app
        self.value = value
        self.exportedAt = exportedAt.flatMap { Timestamp($0) }
        self.isWhole = isWhole
        self.own = own
        self.version = version
        self.unsaid = unsaid
        self.columns = columns
        self.isAnswered = isAnswered
        warnings = findings.filter { $0.severity == .warning }
    }

    /// Removes empty collections that only the migration from an older version added: the app does not export them, and
    /// has deleted nothing there.
    fileprivate mutating func removeEmptyCollections(except named: Set<String>) {
        guard var members = value.object else { return }
        for member in members where member.value.array?.isEmpty == true && !named.contains(member.name) {
            members.removeValue(forName: member.name)
        }
        value = .object(members)
    }
}

/// The result of reading a file in an inbox.
public enum InboxReading: Sendable {
    /// A usable export.
    case document(InboxDocument)
    /// A damaged, truncated or invalid export; a later write may complete it.
    case unusable([Diagnostic])
    /// An export of a newer version, which a newer program can read.
    case newer([Diagnostic])
    /// A file of no known app.
    case foreign

    /// Recognises the format by the content, and reads with the format's reader.
    ///
    /// - Parameter formats: The formats of the apps.
    package init(_ bytes: [UInt8], name: String, _ formats: [any InboxFormat]) throws {
        let identity: FormatIdentity
        let named: Set<String>
        do throws(JSONError) {
            let root = try JSONDocument(parsing: bytes).root
            identity = FormatIdentity.detect(root)
            named = root.kind == .object ? Set(root.members.map(\.name)) : []
        } catch {
            self = .unusable([error.diagnostic(file: name)])
            return
        }
        let format = formats.first { $0.identities.contains(identity) }
        self = try format?.read(bytes, identity, name: name) ?? .foreign
        guard case .document(var document) = self else { return }
        document.removeEmptyCollections(except: named)
        self = .document(document)
    }

    /// Returns the result for an export that its reader rejected.
    public static func refused(_ findings: [Diagnostic]) -> InboxReading {
        let isNewer = findings.contains { $0.code == AppFormatError.Code.versionNewer.description }
        return isNewer ? .newer(findings) : .unusable(findings)
    }
}
