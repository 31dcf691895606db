/// A request of HTTP/1.0 or 1.1 (RFC 9112), as far as the pages need it: a target, fields, and a body of known length.
struct HTTPRequest {
    /// An error for a request that cannot be answered, with the status that says so.
    struct Fault: Error, Equatable {
        let status: Int
        let message: String
    }

    let method: String
    /// The path and the query as they were sent.
    let target: String
    private let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    /// The most that a request may be.
    enum Limit {
        static let head = 16 * 1024
        static let fields = 100
        static let body = 1024 * 1024
    }

    /// Returns all values of a field; the case of names does not matter.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The only value of a field; nil where it is missing or there are several.
    subscript(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns the end of a request's head: behind its empty line; nil where that has not come yet.
    ///
    /// - Parameter start: The offset to look from, as all before was looked at.
    static func headEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = max(0, start)
        while index + 4 <= bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    /// Reads a head.
    ///
    /// - Throws: ``Fault`` for anything but a plain request.
    init(head: ArraySlice<UInt8>) throws(Fault) {
        guard head.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 13 || $0 == 10 || $0 == 9 }) else {
            throw Fault(status: 400, message: "The head of a request is printable ASCII.")
        }
        // A line ends with both characters: "\r\n" is one Character.
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let first = lines.first, lines.count >= 3,
            lines.allSatisfy({ !$0.contains("\r") && !$0.contains("\n") })
        else { throw Fault(status: 400, message: "A line of the head ends with CR and LF.") }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, ["HTTP/1.0", "HTTP/1.1"].contains(words[2]) else {
            throw Fault(status: 400, message: "Expected a request of HTTP/1.1.")
        }
        guard words[1].first == "/", words[1].dropFirst().first != "/" else {
            throw Fault(status: 400, message: "The target of a request is a path.")
        }
        (method, target) = (String(words[0]), String(words[1]))
        fields = try Self.fields(lines.dropFirst().dropLast(2))
        try checkLength()
    }

    private static func fields(
        _ lines: ArraySlice<Substring>
    ) throws(Fault) -> [(name: String, value: String)] {
        guard lines.count <= Limit.fields else {
            throw Fault(status: 431, message: "A request has at most \(Limit.fields) fields.")
        }
        var fields: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "-_!#$%&'*+.^`|~".contains($0) })
            else { throw Fault(status: 400, message: "A field is a name, a colon and a value.") }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { $0 != " " && $0 != "\t" }
            fields.append((line[..<colon].lowercased(), end.map { String(value[...$0]) } ?? ""))
        }
        return fields
    }

    private func checkLength() throws(Fault) {
        guard values("transfer-encoding").isEmpty else {
            throw Fault(status: 501, message: "A body has a Content-Length and no Transfer-Encoding.")
        }
        let lengths = values("content-length")
        guard lengths.isEmpty || lengths.count == 1 && lengths[0].utf8.count < 10 && length != nil else {
            throw Fault(status: 400, message: "Expected one Content-Length, a number.")
        }
        guard let length, length <= Limit.body else {
            throw Fault(status: 413, message: "A body has at most \(Limit.body) bytes.")
        }
    }

    /// The length of the body that is announced; nil where that is no number.
    var length: Int? {
        guard let text = values("content-length").first else { return 0 }
        return text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// The path, decoded; nil where it is encoded wrongly.
    var path: String? { PercentCoding.decoded(target.prefix { $0 != "?" }) }

    /// The fields of the query; nil where they are encoded wrongly.
    var query: [(name: String, value: String)]? {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return Self.form(target[target.index(after: mark)...])
    }

    /// Returns the fields of a form (`application/x-www-form-urlencoded`); nil where they are encoded wrongly.
    ///
    /// A name with the mark of exact values loses it, and its value is decoded once more.
    static func form(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(halves[0], plusIsSpace: true),
                let value = halves.count == 2 ? PercentCoding.decoded(halves[1], plusIsSpace: true) : ""
            else { return nil }
            guard name.first == PageRequest.exactMark else {
                fields.append((name, value))
                continue
            }
            guard let exact = PercentCoding.decoded(value) else { return nil }
            fields.append((String(name.dropFirst()), exact))
        }
        return fields
    }

    /// Returns the value of a cookie; nil where it is missing or sent twice.
    func cookie(_ name: String) -> String? {
        let pairs: [Substring] = values("cookie").flatMap { $0.split(separator: ";") }
        let found = pairs.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(name + "=") }
        return found.count == 1 ? String(found[0].dropFirst(name.utf8.count + 1)) : nil
    }
}

/// An answer of HTTP/1.1; the connection ends behind it.
struct HTTPResponse {
    var status: Int
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    private static let reasons = [
        200: "OK", 303: "See Other", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 413: "Content Too Large", 415: "Unsupported Media Type", 421: "Misdirected Request",
        422: "Unprocessable Content", 431: "Request Header Fields Too Large", 501: "Not Implemented",
    ]

    /// Returns the bytes of the response: nothing is kept, framed, guessed at or told to others.
    ///
    /// - Parameter policy: The policy of the document.
    func bytes(policy: String, isHead: Bool = false) -> [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")", "Connection: close"]
        lines.append("Content-Length: \(body.count)")
        lines.append("Content-Security-Policy: \(policy)")
        lines += [
            "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: same-origin",
            "Cache-Control: no-store", "Cross-Origin-Opener-Policy: same-origin",
            "Cross-Origin-Resource-Policy: same-origin",
        ]
        lines += fields.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (isHead ? [] : body)
    }
}
