public import FormatKit
public import StrictJSON

/// The formats of an app for inboxes: its exports as documents, and the file that it imports.
///
/// A device that can only export and import syncs by these two files.
public protocol InboxFormat: Sendable {
    /// The app.
    var app: AppID { get }
    /// The formats of its exports, as their content tells them.
    var identities: Set<FormatIdentity> { get }
    /// The prefix of the names of files for a device.
    var filePrefix: String { get }
    /// The extension of those files; exports may have it besides `json`.
    var fileExtension: String { get }
    /// The collections of the document that are one object.
    var objects: Set<String> { get }
    /// True if the app's import gives records other identifiers: no export shows what was imported.
    var renames: Bool { get }

    /// Reads an export in one of its formats, checks it, and migrates it to the current version.
    ///
    /// - Parameters:
    ///   - identity: The format that its content tells.
    ///   - name: The file, for the findings.
    /// - Throws: An error that is not about the content, such as `JSONError`; a bad export is an ``InboxReading``.
    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading
    /// Returns the members of a document that are not records.
    ///
    /// - Parameters:
    ///   - exportedAt: The time of the export, as the document states it.
    ///   - generator: The program that makes it.
    func envelope(exportedAt: String, generator: String) -> JSONObject
    /// Restores a device's own parts (``InboxDocument/own``) in the document for it; nil where its exports have none.
    func keep(_ own: String?, in document: inout JSONValue)
    /// Makes the file that the app imports.
    ///
    /// - Parameters:
    ///   - document: All records in the current version of the format.
    ///   - name: The document's name in the findings.
    /// - Throws: ``UnusableDocument`` where the app's own reader would reject it.
    func encode(_ document: JSONValue, name: String) throws -> [UInt8]
}

extension InboxFormat {
    /// The extension `json`, as most exports have it.
    public var fileExtension: String { "json" }
    /// No collections.
    public var objects: Set<String> { [] }
    /// False: an import keeps identifiers.
    public var renames: Bool { false }
    /// Leaves the document unchanged: no part is the device's own.
    public func keep(_ own: String?, in document: inout JSONValue) {}
}

/// The error for a document that its format's reader rejects.
public struct UnusableDocument: Error, Sendable {
    /// The findings of the reader.
    public let findings: [Diagnostic]

    /// Makes an error of the findings.
    public init(_ findings: [Diagnostic]) { self.findings = findings }

    /// Returns the content that a reader made of a document.
    ///
    /// - Throws: An ``UnusableDocument`` where there is no content.
    package static func checked<Content>(
        _ content: Content?,
        _ findings: [Diagnostic]
    ) throws(UnusableDocument) -> Content {
        guard let content else { throw UnusableDocument(findings.filter { $0.severity == .error }) }
        return content
    }
}

extension AppStores {
    /// The apps whose exports inboxes accept, without apps that are only declared.
    package var inboxes: [any InboxFormat] { apps.compactMap { inbox(of: $0.id) } }

    /// Returns the formats of an app for inboxes; nil where inboxes do not accept its exports.
    ///
    /// - Parameter declaration: The declaration of a declared app.
    package func inbox(of app: AppID, _ declaration: AppDeclaration? = nil) -> (any InboxFormat)? {
        let definition = definition(of: app)
        return definition?.inbox ?? (declaration ?? definition?.store.declaration).flatMap(DeclaredInbox.init)
    }
}
