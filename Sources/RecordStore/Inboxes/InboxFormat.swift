public import FormatKit
public import StrictJSON

/// What inboxes need of an app: its exports as documents, and the file that it imports.
///
/// A device that can only export and import takes part by these two files.
public protocol InboxFormat: Sendable {
    /// The app.
    var app: AppID { get }
    /// The formats of its exports, as their content tells them.
    var identities: Set<FormatIdentity> { get }
    /// How the names of files that are written for a device begin.
    var filePrefix: String { get }
    /// How they end, and how names of exports may end beside `json`.
    var fileExtension: String { get }
    /// The collections of its document that are one object.
    var objects: Set<String> { get }

    /// Reads an export of one of its formats: checked, and in the current version.
    ///
    /// - Parameters:
    ///   - identity: What its content tells.
    ///   - name: The file, for the findings.
    /// - Throws: An error that is not about the content, such as `JSONError`; a bad export is an ``InboxReading``.
    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading
    /// Gives the members of a document that are no records.
    ///
    /// - Parameters:
    ///   - exportedAt: The moment that the document names, as it is to be written.
    ///   - generator: The program that makes it.
    func envelope(exportedAt: String, generator: String) -> JSONObject
    /// Puts back what stays a device's own (``InboxDocument/own``) into the document that is written for it; nil where
    /// its exports have none.
    func keep(_ own: String?, in document: inout JSONValue)
    /// Makes the file that the app imports.
    ///
    /// - Parameters:
    ///   - document: All records in the current version of the format.
    ///   - name: What the document is called in the findings.
    /// - Throws: ``UnusableDocument`` where the app's own reader would not take it.
    func encode(_ document: JSONValue, name: String) throws -> [UInt8]
}

extension InboxFormat {
    /// As most exports.
    public var fileExtension: String { "json" }
    /// None.
    public var objects: Set<String> { [] }
    /// Leaves the document as it is: nothing is the device's own.
    public func keep(_ own: String?, in document: inout JSONValue) {}
}

/// A document that no reader of its format takes.
public struct UnusableDocument: Error, Sendable {
    /// What the reader finds.
    public let findings: [Diagnostic]

    /// Says why a document cannot be used.
    public init(_ findings: [Diagnostic]) { self.findings = findings }

    /// Returns what a reader made of a document.
    ///
    /// - Throws: An ``UnusableDocument`` where it made nothing of it.
    package static func checked<Content>(
        _ content: Content?,
        _ findings: [Diagnostic]
    ) throws(UnusableDocument) -> Content {
        guard let content else { throw UnusableDocument(findings.filter { $0.severity == .error }) }
        return content
    }
}

extension AppStores {
    /// The apps of which inboxes take exports, without those that are only declared.
    package var inboxes: [any InboxFormat] { apps.compactMap { inbox(of: $0.id) } }

    /// Returns what inboxes need of an app; nil for one whose exports they do not take.
    ///
    /// - Parameter declaration: What describes a declared app.
    package func inbox(of app: AppID, _ declaration: AppDeclaration? = nil) -> (any InboxFormat)? {
        let definition = definition(of: app)
        return definition?.inbox ?? (declaration ?? definition?.store.declaration).flatMap(DeclaredInbox.init)
    }
}
