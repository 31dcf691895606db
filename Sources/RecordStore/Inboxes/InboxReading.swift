public import CivilTime
internal import FormatKit
public import StrictJSON

/// An export that a device left, checked and in the current version of its format.
public struct InboxDocument: Sendable {
    /// The app that made it.
    public let app: AppID
    /// What it holds.
    public let value: JSONValue
    /// When the device says that it was made.
    public let exportedAt: Timestamp?
    /// Whether it has all that the device has, so that what is missing was deleted.
    public let isWhole: Bool
    /// What of it stays the device's own, such as the day on which its app was last opened; nil for nothing.
    public let own: String?
    /// What is to be looked at, though it can be used.
    public let warnings: [Diagnostic]

    /// An export that can be used.
    ///
    /// - Parameter findings: All that its reader found; the warnings are kept.
    public init(
        _ app: AppID,
        _ value: JSONValue,
        exportedAt: String?,
        isWhole: Bool,
        own: String? = nil,
        _ findings: [Diagnostic]
    ) {
        self.app = app
        self.value = value
        self.exportedAt = exportedAt.flatMap { Timestamp($0) }
        self.isWhole = isWhole
        self.own = own
        warnings = findings.filter { $0.severity == .warning }
    }
}

/// What a file in an inbox is.
public enum InboxReading: Sendable {
    /// An export that can be used.
    case document(InboxDocument)
    /// One that is damaged, truncated or against its format's rules; it may yet become better.
    case unusable([Diagnostic])
    /// One of a newer version, which a newer program will understand.
    case newer([Diagnostic])
    /// Nothing that concerns any app.
    case foreign

    /// Tells by the content, and reads with the reader of the format.
    ///
    /// - Parameter formats: What the apps take that exports may be of.
    package init(_ bytes: [UInt8], name: String, _ formats: [any InboxFormat]) throws {
        let identity: FormatIdentity
        do throws(JSONError) {
            identity = FormatIdentity.detect(try JSONDocument(parsing: bytes).root)
        } catch {
            self = .unusable([error.diagnostic(file: name)])
            return
        }
        let format = formats.first { $0.identities.contains(identity) }
        self = try format?.read(bytes, identity, name: name) ?? .foreign
    }

    /// An export that its reader refused.
    public static func refused(_ findings: [Diagnostic]) -> InboxReading {
        let isNewer = findings.contains { $0.code == AppFormatError.Code.versionNewer.description }
        return isNewer ? .newer(findings) : .unusable(findings)
    }
}
