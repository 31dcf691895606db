import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An answer as it came over the connection.
struct RawAnswer: Sendable {
    let status: Int
    /// The fields, with names in lower case.
    let fields: [String: String]
    let body: String
}

/// A client that sends bytes as they are given, to a port of 127.0.0.1.
final class RawClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        // A server that never answers fails a test, and does not hold it for ever.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard connected == 0 else { throw Failure(description: String(cString: strerror(errno))) }
    }

    deinit { close(descriptor) }

    /// Sends bytes; a server that does not take them any more is no failure.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = bytes[sent...].withUnsafeBytes { part in
                #if canImport(Glibc)
                    Glibc.send(descriptor, part.baseAddress, part.count, flags)
                #elseif canImport(Musl)
                    Musl.send(descriptor, part.baseAddress, part.count, flags)
                #else
                    Darwin.send(descriptor, part.baseAddress, part.count, flags)
                #endif
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Reads until the server ends the connection.
    func answer() throws -> RawAnswer {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let capacity = buffer.count
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, capacity, 0) }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { throw Failure(description: "no answer: \(text)") }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { throw Failure(description: "no status: \(text)") }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return RawAnswer(status: status, fields: fields, body: String(text[end.upperBound...]))
    }

    /// Sends a request and reads its answer.
    static func ask(_ port: Int, _ text: String) throws -> RawAnswer {
        let client = try RawClient(port: port)
        client.send(text)
        return try client.answer()
    }
}

/// A form of a page.
struct PageForm {
    let action: String
    let method: String
    /// The hidden fields, as the page has them.
    let hidden: [(name: String, value: String)]
    /// What is seen of it.
    let content: String

    /// The forms of a page, in order.
    static func all(in page: String) -> [PageForm] {
        page.components(separatedBy: "<form ").dropFirst().compactMap { part in
            guard let end = part.range(of: "</form>"), let head = part.firstIndex(of: ">") else { return nil }
            let content = String(part[..<end.lowerBound])
            let hidden = content.components(separatedBy: "<input type=\"hidden\" ").dropFirst().map {
                (name: attribute("name", in: $0), value: attribute("value", in: $0))
            }
            let tag = String(part[..<head])
            return PageForm(
                action: attribute("action", in: tag),
                method: attribute("method", in: tag),
                hidden: hidden,
                content: content
            )
        }
    }

    private static func attribute(_ name: String, in tag: String) -> String {
        guard let start = tag.range(of: "\(name)=\""), let end = tag[start.upperBound...].firstIndex(of: "\"") else {
            return ""
        }
        return plain(String(tag[start.upperBound..<end]))
    }

    /// A text of a page without its escapes.
    static func plain(_ text: String) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }
}

/// A browser as far as the server can tell: it keeps the cookie, follows what it is led to, and sends forms.
final class PageClient {
    let port: Int
    /// What all paths begin with: `/b7ce…`.
    let base: String
    private(set) var cookie = ""

    var origin: String { "http://127.0.0.1:\(port)" }

    /// Opens the address that a program printed.
    init(_ address: String) throws {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: true)
        guard parts.count >= 3, let port = parts[1].split(separator: ":").last.flatMap({ Int($0) }) else {
            throw RawClient.Failure(description: "no address: \(address)")
        }
        self.port = port
        base = "/" + parts[2].split(separator: "/")[0]
        let path = "/" + parts[2...].joined(separator: "/")
        let entered = try RawClient.ask(port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        guard entered.status == 303, let set = entered.fields["set-cookie"] else {
            throw RawClient.Failure(description: "not let in: \(entered)")
        }
        cookie = String(set.prefix { $0 != ";" })
    }

    /// The head of a request as a browser sends it, without its end.
    func head(_ method: String, _ path: String, host: String? = nil) -> String {
        let host = host ?? "127.0.0.1:\(port)"
        return "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\nSec-Fetch-Site: same-origin\r\n"
    }

    /// Asks for a page by its path, as links have it.
    func get(_ path: String) throws -> RawAnswer {
        try RawClient.ask(port, head("GET", path) + "\r\n")
    }

    /// A page of the site: `/history`.
    func page(_ path: String) throws -> RawAnswer { try get(base + path) }

    /// Sends a form, and follows where it leads.
    func submit(_ form: PageForm, _ fields: [String: String] = [:]) throws -> RawAnswer {
        let all = form.hidden.map { ($0.name, $0.value) } + fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let text = all.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
        guard form.method == "post" else { return try get("\(form.action)?\(text)") }
        let answer = try post(form.action, text)
        guard answer.status == 303, let place = answer.fields["location"] else { return answer }
        return try get(place)
    }

    func post(_ path: String, _ body: String, origin: String? = nil, more: String = "") throws -> RawAnswer {
        try RawClient.ask(
            port,
            head("POST", path) + "Origin: \(origin ?? self.origin)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Ends the server, as the button at the foot of each page does.
    func end() throws {
        guard let form = PageForm.all(in: try page("/").body).first(where: { $0.action.hasSuffix("/end") }) else {
            throw RawClient.Failure(description: "no button that ends it")
        }
        _ = try submit(form)
    }
}
