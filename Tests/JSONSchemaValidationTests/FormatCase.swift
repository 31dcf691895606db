import JSONSchemaValidation
import Testing

/// One string and whether it has a format.
struct FormatCase: CustomTestStringConvertible, Sendable {
    let format: StringFormat
    let text: String
    let isValid: Bool

    var testDescription: String { "\(format.name) \(text.debugDescription)" }

    /// Vectors of one format.
    static func vectors(_ format: StringFormat, valid: [String], invalid: [String]) -> [FormatCase] {
        valid.map { FormatCase(format: format, text: $0, isValid: true) }
            + invalid.map { FormatCase(format: format, text: $0, isValid: false) }
    }
}

extension StringFormat {
    /// Whether the text has the format.
    func accepts(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isValid($0) }
    }
}
