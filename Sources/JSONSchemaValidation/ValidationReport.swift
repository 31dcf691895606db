public import StrictJSON

/// One fault of a document, or in strict mode one surprise.
public struct ValidationFinding: Sendable, Hashable {
    /// An error for a fault, a warning for an unknown member.
    public let severity: Diagnostic.Severity
    /// The keyword that is not met, such as `required`.
    public let keyword: String
    /// The keyword's place: the schema's URI with a JSON Pointer for a fragment.
    public let keywordLocation: String
    /// The place in the document.
    public let pointer: JSONPointer
    /// The place in the text.
    public internal(set) var position: TextPosition
    /// The constraint of the schema.
    public let expected: String
    /// The value that was found.
    public let found: String
    /// The likely intention, for example a member with a similar name.
    public let hint: String?

    /// The stable code, `schema.` and the keyword.
    public var code: String { "schema.\(keyword)" }

    /// The finding as a sentence; where the keyword stands in the schema is not part of it.
    public var message: String {
        "found \(found), expected \(expected)" + (hint.map { "; \($0)" } ?? "")
    }

    /// Returns the finding as the diagnostic that programs print.
    public func diagnostic(file: String?) -> Diagnostic {
        Diagnostic(severity, code: code, message: message, file: file, position: position, pointer: pointer)
    }
}

/// The findings of a validation.
public struct ValidationReport: Sendable {
    /// The findings in document order, as many as the limit allowed.
    public internal(set) var findings: [ValidationFinding] = []
    /// The number of findings, those beyond the limit included.
    public internal(set) var total = 0
    /// True if the document is valid; unknown members do not matter for that.
    public internal(set) var isValid = true
}

extension ValidationFinding: Placed {
    var place: Int { position.offset }
    var isWarning: Bool { severity == .warning }
}
