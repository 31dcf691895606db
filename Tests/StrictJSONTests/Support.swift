import Testing

@testable import StrictJSON

/// A text that must be refused, and how.
struct BadText: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let code: JSONError.Code
    let line: Int
    let column: Int
    let pointer: String

    init(_ bytes: [UInt8], _ code: JSONError.Code, _ line: Int, _ column: Int, _ pointer: String = "") {
        (self.bytes, self.code, self.line, self.column, self.pointer) = (bytes, code, line, column, pointer)
    }

    init(_ text: String, _ code: JSONError.Code, _ line: Int, _ column: Int, _ pointer: String = "") {
        self.init(Array(text.utf8), code, line, column, pointer)
    }

    var testDescription: String { "\(shown(bytes)): \(code)" }

    /// Checks that the document and the reader in pieces refuse the text in that way.
    func check(_ options: JSONParseOptions = JSONParseOptions(), sourceLocation: SourceLocation = #_sourceLocation) {
        let found = [refusal(of: bytes, options)] + [1, 1000].map { streamOutcome(bytes, options, piece: $0).error }
        for error in found {
            guard let error else {
                Issue.record("accepted \(shown(bytes))", sourceLocation: sourceLocation)
                continue
            }
            let comment: Comment = "\(shown(bytes)): \(error)"
            #expect(error.code == code, comment, sourceLocation: sourceLocation)
            #expect(error.position.line == line, comment, sourceLocation: sourceLocation)
            #expect(error.position.column == column, comment, sourceLocation: sourceLocation)
            #expect(error.pointer.description == pointer, comment, sourceLocation: sourceLocation)
        }
    }
}

/// Bytes for a message: as text where they are one, cut when they are many.
func shown(_ bytes: [UInt8]) -> String {
    let head = Array(bytes.prefix(200))
    let text = String(decoding: head, as: UTF8.self)
    return text.utf8.elementsEqual(head) && !head.contains(0) ? text : "\(head)"
}

/// Why a text is refused, or nil where it is accepted.
func refusal(of bytes: [UInt8], _ options: JSONParseOptions = JSONParseOptions()) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONDocument(parsing: bytes, options: options)
        return nil
    } catch {
        return error
    }
}

/// The value of a text, or nil where it is refused.
func value(of bytes: [UInt8], _ options: JSONParseOptions = JSONParseOptions()) -> JSONValue? {
    (try? JSONDocument(parsing: bytes, options: options))?.root.value
}

/// The value of a text, or nil where it is refused.
func value(of text: String, _ options: JSONParseOptions = JSONParseOptions()) -> JSONValue? {
    value(of: Array(text.utf8), options)
}

extension JSONNumber {
    /// A number from a token of the test's.
    static func token(_ token: String) -> JSONValue { .number(JSONNumber(validToken: token)) }
}
