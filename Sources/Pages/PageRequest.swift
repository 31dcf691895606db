package import CivilTime

/// A request for a page, checked by the server.
package struct PageRequest: Sendable {
    package enum Method: Sendable { case get, post }

    package let method: Method
    /// The path without what is special to this server: `/history`.
    package let path: String
    /// The present moment.
    package let now: Timestamp
    /// The clock of local times.
    package let clock: LocalClock
    private let fields: [(name: String, value: String)]
    private let context: PageContext

    /// Makes a request; fields are those of the query, and of a POST's body.
    package init(
        _ method: Method = .get,
        _ path: String = "/",
        _ fields: [(name: String, value: String)] = [],
        now: Timestamp,
        clock: LocalClock,
        context: PageContext
    ) {
        (self.method, self.path, self.fields) = (method, path, fields)
        (self.now, self.clock, self.context) = (now, clock, context)
    }

    /// Returns the same request for another path.
    func at(_ path: String) -> PageRequest {
        PageRequest(method, path, fields, now: now, clock: clock, context: context)
    }

    /// The value of a field, exactly as it was put into the link or form, or typed; nil where it is missing or empty.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Returns all values of a field, such as of checked boxes.
    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Returns a whole number of a field; nil where it is none.
    package func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

    /// True if the page is for an export: a file that nobody answers.
    package var isExport: Bool { context.isExport }

    /// Returns a sentence that may name files; in an export without the folders of this device.
    package func sentence(_ text: String) -> String { isExport ? context.places.hidden(in: text) : text }

    /// Returns a path of this site with fields, as ``PageResponse/done(_:then:undo:)`` takes it.
    ///
    /// Fields without a value are left out.
    package func path(_ path: String, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
        let query = fields.compactMap { field in
            field.value.map { "\(PercentCoding.encoded(field.key))=\(PercentCoding.encoded($0))" }
        }
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    /// Returns the address of a page, for `href`.
    package func address(_ path: String, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
        context.address(self.path(path, fields))
    }

    /// Returns a link to a page.
    package func link(_ text: HTML, _ path: String, _ fields: KeyValuePairs<String, String?> = [:]) -> HTML {
        "<a href=\"\(address(path, fields))\">\(text)</a>"
    }

    /// Returns a form that changes something: it is posted to a path, with hidden fields and a token.
    ///
    /// It is empty in an export.
    ///
    /// - Parameters:
    ///   - path: The path that is asked.
    ///   - hidden: Fields that the source gets back exactly.
    ///   - content: What is seen: labels, inputs, a `<button>`.
    package func form(_ path: String, _ hidden: KeyValuePairs<String, String?> = [:], _ content: HTML) -> HTML {
        form(path, hidden.map { ($0.key, $0.value) }, content)
    }

    /// Returns the same form with fields that the program counts, also several of one name.
    package func form(_ path: String, _ hidden: [(String, String?)], _ content: HTML) -> HTML {
        guard !isExport else { return HTML() }
        let fields = [("token", context.formToken)] + hidden
        return """
            <form method="post" action="\(context.address(path))">\(Self.fields(fields))\(content)</form>
            """
    }

    /// Returns a form that only asks for another page, such as a search; empty in an export.
    package func search(_ path: String, _ hidden: KeyValuePairs<String, String?> = [:], _ content: HTML) -> HTML {
        guard !isExport else { return HTML() }
        return """
            <form method="get" action="\(context.address(path))">\
            \(Self.fields(hidden.map { ($0.key, $0.value) }))\(content)</form>
            """
    }

    /// The name of a field whose value is percent-encoded once more: browsers change line ends and leave out U+0000.
    static let exactMark: Character = "~"

    /// Returns hidden fields; those without a value are left out.
    private static func fields(_ fields: [(String, String?)]) -> HTML {
        HTML(
            fields.map { name, value -> HTML in
                guard let value else { return HTML() }
                return "<input type=\"hidden\" name=\"\(exactMark)\(name)\" value=\"\(PercentCoding.encoded(value))\">"
            }
        )
    }
}

extension HTML.Interpolation {
    /// Puts in a character.
    package mutating func appendInterpolation(_ character: Character) { appendInterpolation(String(character)) }
}

/// The context that the pages of one site share: their base path, and the token of their forms.
package struct PageContext: Sendable {
    /// Makes the address of a path with its query.
    package let address: @Sendable (String) -> String
    /// The token that every form carries.
    package let formToken: String
    /// True if the pages become files.
    package let isExport: Bool
    /// The folders that an export does not tell.
    let places: LocalPlaces

    package init(
        isExport: Bool = false,
        formToken: String = "",
        hiding places: LocalPlaces = LocalPlaces(),
        address: @escaping @Sendable (String) -> String = { $0 }
    ) {
        (self.isExport, self.formToken, self.places, self.address) = (isExport, formToken, places, address)
    }
}

/// The percent-encoding of URLs (RFC 3986, section 2.1).
package enum PercentCoding {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns a text with every byte encoded that could mean something in a URL.
    package static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if plain.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of an encoded one; nil where an escape is cut short or the bytes are not UTF-8.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign stands for a space, as in forms.
    package static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(value), let low = rest.popFirst().flatMap(value) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
