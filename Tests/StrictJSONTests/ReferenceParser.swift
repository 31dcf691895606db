@testable import StrictJSON

/// RFC 8259 word by word, slowly: what the parser is compared with.
///
/// It reads unicode scalars, so it is given only what is UTF-8.
struct ReferenceParser {
    struct Refused: Error {}

    private let text: [Unicode.Scalar]
    private var at = 0

    /// The value of a text, or nil where the strict rules refuse it.
    static func value(of bytes: [UInt8]) -> JSONValue? {
        guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
        var scalars = Array(string.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var parser = ReferenceParser(text: scalars)
        guard let value = try? parser.value(depth: 0) else { return nil }
        parser.space()
        guard parser.at == scalars.count else { return nil }
        return value
    }

    private init(text: [Unicode.Scalar]) { self.text = text }

    private var next: Unicode.Scalar? { at < text.count ? text[at] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        at += 1
        return true
    }

    private mutating func demand(_ word: String) throws {
        for scalar in word.unicodeScalars where !take(scalar) { throw Refused() }
    }

    private mutating func space() {
        while let scalar = next, [" ", "\t", "\n", "\r"].contains(scalar) { at += 1 }
    }

    private mutating func value(depth: Int) throws -> JSONValue {
        space()
        switch next {
        case "n":
            try demand("null")
            return .null
        case "t":
            try demand("true")
            return true
        case "f":
            try demand("false")
            return false
        case "\"": return .string(try string())
        case "[": return try array(depth: depth + 1)
        case "{": return try object(depth: depth + 1)
        default: return try number()
        }
    }

    private mutating func array(depth: Int) throws -> JSONValue {
        guard depth <= 128 else { throw Refused() }
        try demand("[")
        space()
        if take("]") { return [] }
        var elements: [JSONValue] = []
        while true {
            elements.append(try value(depth: depth))
            space()
            if take("]") { return .array(elements) }
            try demand(",")
        }
    }

    private mutating func object(depth: Int) throws -> JSONValue {
        guard depth <= 128 else { throw Refused() }
        try demand("{")
        space()
        var object = JSONObject()
        if take("}") { return .object(object) }
        var names: [[UInt8]] = []
        while true {
            space()
            let name = try string()
            guard !names.contains(Array(name.utf8)) else { throw Refused() }
            names.append(Array(name.utf8))
            space()
            try demand(":")
            object.append(unique: name, try value(depth: depth))
            space()
            if take("}") { return .object(object) }
            try demand(",")
        }
    }

    private mutating func string() throws -> String {
        try demand("\"")
        var units: [UInt16] = []
        while let scalar = next {
            at += 1
            if scalar == "\"" {
                guard let string = String(validating: units, as: UTF16.self) else { throw Refused() }
                return string
            }
            guard scalar.value >= 0x20 else { throw Refused() }
            units += scalar == "\\" ? [try escape()] : Array(String(Character(scalar)).utf16)
        }
        throw Refused()
    }

    private mutating func escape() throws -> UInt16 {
        guard let scalar = next else { throw Refused() }
        at += 1
        let simple: [Unicode.Scalar: UInt16] = [
            "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
        ]
        if let unit = simple[scalar] { return unit }
        guard scalar == "u", at + 4 <= text.count else { throw Refused() }
        let digits = text[at..<at + 4]
        at += 4
        guard digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else { throw Refused() }
        return UInt16(String(String.UnicodeScalarView(digits)), radix: 16) ?? 0
    }

    private mutating func digits() throws -> String {
        var digits = ""
        while let scalar = next, ("0"..."9").contains(scalar) {
            digits.unicodeScalars.append(scalar)
            at += 1
        }
        guard !digits.isEmpty else { throw Refused() }
        return digits
    }

    private mutating func number() throws -> JSONValue {
        var token = take("-") ? "-" : ""
        let whole = try digits()
        guard whole == "0" || !whole.hasPrefix("0") else { throw Refused() }
        token += whole
        if take(".") { token += "." + (try digits()) }
        if let mark = next, mark == "e" || mark == "E" {
            at += 1
            token.unicodeScalars.append(mark)
            if take("+") { token += "+" } else if take("-") { token += "-" }
            token += try digits()
        }
        guard let double = Double(token), double.isFinite else { throw Refused() }
        return JSONNumber.token(token)
    }
}
