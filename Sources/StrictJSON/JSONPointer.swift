/// A JSON Pointer (RFC 6901): the place of a value in a document.
///
/// ```swift
/// JSONPointer("/sessions/0/name")?.tokens  // ["sessions", "0", "name"]
/// ```
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The reference tokens, unescaped; empty for the whole document.
    public private(set) var tokens: [String]

    /// The whole document.
    public static let root = JSONPointer(tokens: [])

    /// Makes a pointer of unescaped reference tokens.
    public init(tokens: [String]) { self.tokens = tokens }

    /// Makes a pointer from its text form; nil if the text is not a JSON Pointer.
    ///
    /// A pointer is empty or begins with `/`, and each `~` is followed by `0` or `1`.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        tokens = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let token = Self.unescape(part) else { return nil }
            tokens.append(token)
        }
    }

    private static func unescape(_ part: Substring.UTF8View) -> String? {
        guard part.contains(UInt8(ascii: "~")) else { return String(Substring(part)) }
        var bytes: [UInt8] = []
        var rest = part.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the pointer to a member or element of the value that this one points to.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// Returns the pointer to an element of the array that this one points to.
    public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

    /// The text form, with `~` and `/` escaped.
    public var description: String {
        tokens.reduce(into: "") { text, token in
            text += "/"
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}

extension JSONPointer {
    /// Tells whether both have the same tokens by code points, as member names are compared.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.elementsEqual(right.tokens) { $0.hasSameScalars(as: $1) }
    }

    /// Feeds the tokens to a hasher, consistently with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.count)
        for token in tokens { hasher.combine(ScalarKey(token)) }
    }
}

extension JSONValue {
    /// The value at a pointer, or nil where there is none.
    public subscript(pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let array):
                guard let index = arrayIndex(token), index < array.count else { return nil }
                value = array[index]
            default: return nil
            }
        }
        return value
    }
}

/// Returns a reference token as an array index; nil unless it is digits without leading zero (RFC 6901, section 4).
func arrayIndex(_ token: String) -> Int? {
    guard let first = token.utf8.first, token.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    guard first != 48 || token.utf8.count == 1 else { return nil }
    return Int(token)
}
