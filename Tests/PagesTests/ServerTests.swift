import CivilTime
import Foundation
import Pages
import Synchronization
import Testing

/// A page that shows what it was asked, and counts what it was told to do.
private final class EchoPage: PageSource {
    let done = Mutex<[String]>([])

    var links: [PageLink] { [PageLink("Echo", "/echo")] }

    func overview(for request: PageRequest) throws -> PageOverview? {
        var overview = PageOverview("Devices")
        overview.cards = [.init("<img src=x onerror=alert(1)>", .good, "\"><script>")]
        return overview
    }

    func response(to request: PageRequest) throws -> PageResponse {
        if request.method == .post {
            let text = request["text"] ?? ""
            done.withLock { $0.append(text) }
            return .done("Took \(text).", then: request.path("/echo"))
        }
        if request.path == "/echo/fault" { throw RawClient.Failure(description: "<b>fault</b>") }
        guard request.path == "/echo" else { return .missing }
        let form = request.form("/echo", ["text": request["text"] ?? "plain"], "<button>Send</button>")
        return .page(Page("Echo", summary: "\(request["text"] ?? "nothing")", body: form))
    }
}

/// A server that runs on a thread of its own until it is ended.
private struct RunningServer {
    let echo = EchoPage()
    let address: String
    let port: Int
    private let thread: Thread
    private let isOver: DispatchSemaphore

    init(limits: PageServer.Limits = PageServer.Limits()) throws {
        let listener = try PageListener(port: 0)
        let now = Timestamp(seconds: 1_790_000_000)
        let site = Site("Test", [echo], now: { now }, clock: .utc) { "\($0)" }
        port = listener.port
        let server = PageServer(listener, site, limits: limits)
        address = server.address
        let isOver = DispatchSemaphore(value: 0)
        self.isOver = isOver
        thread = Thread {
            var server = server
            server.run()
            isOver.signal()
        }
        thread.start()
    }

    /// Waits until the server has ended.
    func wait() -> Bool { isOver.wait(timeout: .now() + 120) == .success }

    /// Lets a client in, and ends the server after it.
    func withClient<Value>(_ body: (PageClient) throws -> Value) throws -> Value {
        let client = try PageClient(address)
        let value = try body(client)
        try client.end()
        #expect(wait())
        return value
    }
}

@Suite("The server lets in who opened the address, and nobody else") struct ServerTests {
    @Test func addressWorksOnce() throws {
        let server = try RunningServer()
        try server.withClient { client in
            #expect(try client.page("/echo").status == 200)
            let path = server.address.dropFirst(client.origin.count)
            let again = try RawClient.ask(server.port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            #expect(again.status == 403)
            #expect(again.fields["set-cookie"] == nil)
            // Who is in already is led on.
            #expect(try client.get(String(path)).status == 303)
        }
    }

    @Test func everyAnswerCarriesItsProtection() throws {
        try RunningServer().withClient { client in
            for path in ["/", "/echo", "/nothing", "/pages.css", "/pages.js"] {
                let fields = try client.page(path).fields
                let policy = try #require(fields["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'; "))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(fields["x-content-type-options"] == "nosniff")
                #expect(fields["cache-control"] == "no-store")
                #expect(fields["referrer-policy"] == "same-origin")
                #expect(fields["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test func cookieIsForTheseAddressesAlone() throws {
        let server = try RunningServer()
        let path = server.address.dropFirst("http://127.0.0.1:\(server.port)".count)
        let base = path.prefix { $0 != "?" }
        let entered = try RawClient.ask(server.port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        let cookie = try #require(entered.fields["set-cookie"])
        #expect(
            cookie.contains("; Path=\(base);") && cookie.contains("; HttpOnly") && cookie.contains("SameSite=Strict")
        )
        // Without it, with another one, and with two nobody is let in.
        let word = cookie.prefix { $0 != ";" }
        for sent in ["", "Cookie: satchel=x\r\n", "Cookie: \(word)0\r\n", "Cookie: \(word); \(word)\r\n"] {
            let answer = try RawClient.ask(
                server.port,
                "GET \(base)echo HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(sent)\r\n"
            )
            #expect(answer.status == 403, "\(sent)")
            #expect(!answer.body.contains("<"))
        }
        let ended = try RawClient.ask(
            server.port,
            "GET \(base) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(word)\r\n\r\n"
        )
        let form = try #require(PageForm.all(in: ended.body).last)
        let token = try #require(form.hidden.first)
        let body = "~token=\(token.value)"
        _ = try RawClient.ask(
            server.port,
            "POST \(form.action) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nCookie: \(word)\r\n"
                + "Origin: http://127.0.0.1:\(server.port)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        #expect(server.wait())
    }

    @Test(
        "Another Host is refused before anything else",
        arguments: [
            "evil.example", "localhost", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example", "[::1]", "",
            "127.0.0.1:PORT.evil.example", "localhost:PORT", "127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT",
        ]
    )
    func foreignHost(_ host: String) throws {
        try RunningServer().withClient { client in
            let host = host.replacingOccurrences(of: "PORT", with: "\(client.port)")
            // Also where it asks for nothing that is there.
            for path in [client.base + "/echo", "/"] {
                let answer = try RawClient.ask(client.port, client.head("GET", path, host: host) + "\r\n")
                #expect(answer.status == 421)
            }
        }
    }

    @Test(
        "A form of another page does nothing",
        arguments: [
            "http://evil.example", "null", "http://localhost:PORT", "https://127.0.0.1:PORT", "http://127.0.0.1",
        ]
    )
    func foreignOrigin(_ origin: String) throws {
        let server = try RunningServer()
        try server.withClient { client in
            let form = try #require(PageForm.all(in: try client.page("/echo").body).first)
            let token = try #require(form.hidden.first { $0.name == "~token" }).value
            let origin = origin.replacingOccurrences(of: "PORT", with: "\(client.port)")
            #expect(try client.post(form.action, "~token=\(token)&text=x", origin: origin).status == 403)
            let none =
                client.head("POST", form.action)
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n\r\n"
            #expect(try RawClient.ask(client.port, none).status == 403)
            #expect(server.echo.done.withLock { $0 } == [])
        }
    }

    @Test(
        "A form needs its token, once",
        arguments: ["", "~token=", "~token=x", "text=1", "~token=TOKEN&~token=TOKEN"]
    )
    func token(_ body: String) throws {
        let server = try RunningServer()
        try server.withClient { client in
            let form = try #require(PageForm.all(in: try client.page("/echo").body).first)
            let token = try #require(form.hidden.first { $0.name == "~token" }).value
            let body = body.replacingOccurrences(of: "TOKEN", with: token)
            #expect(try client.post(form.action, body).status == 403)
            #expect(server.echo.done.withLock { $0 } == [])
            #expect(try client.post(form.action, "~token=\(token)&text=x").status == 303)
            #expect(server.echo.done.withLock { $0 } == ["x"])
        }
    }

    @Test("A request that another site makes is refused", arguments: ["cross-site", "same-site"])
    func crossSite(_ site: String) throws {
        try RunningServer().withClient { client in
            for path in ["/", "/echo"] {
                let head = client.head("GET", client.base + path)
                    .replacingOccurrences(of: "same-origin", with: site)
                let answer = try RawClient.ask(client.port, head + "\r\n")
                #expect(answer.status == 403)
            }
        }
    }

    @Test("Other methods are refused", arguments: ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get", "CONNECT"])
    func methods(_ method: String) throws {
        try RunningServer().withClient { client in
            let answer = try RawClient.ask(client.port, client.head(method, client.base + "/echo") + "\r\n")
            #expect(answer.status == 405)
        }
    }

    @Test(
        "There is no way to files",
        arguments: [
            "/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/echo/../../etc/passwd", "/..%2f..%2fetc/passwd",
            "/echo/%00", "/pages.css/../../x", "/./echo", "/echo/.", "/%zz", "/etc/passwd", "/pages.css/",
            "//etc/passwd",
        ]
    )
    func paths(_ path: String) throws {
        try RunningServer().withClient { client in
            for place in [path, client.base + path] {
                let answer = try client.get(place)
                #expect([400, 404].contains(answer.status), "\(place)")
                #expect(!answer.body.contains("root:"))
            }
        }
    }

    @Test("What is no request is refused, and the server goes on")
    func malformed() throws {
        try RunningServer().withClient { client in
            let head = client.head("POST", client.base + "/echo")
            let requests: [(String, Int)] = [
                ("\r\n\r\n", 400), ("GET\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 400),
                ("GET x HTTP/1.1\r\n\r\n", 400),
                ("GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", 400), ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
                (client.head("GET", "/") + "a b: c\r\n\r\n", 400), (client.head("GET", "/") + " folded\r\n\r\n", 400),
                (client.head("GET", "/") + "a\nb: c\r\n\r\n", 400), (client.head("GET", "/é") + "\r\n", 400),
                (head + "Transfer-Encoding: chunked\r\n\r\n", 501), (head + "Content-Length: -1\r\n\r\n", 400),
                (head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
                (head + "Content-Length: 99999999999999999999\r\n\r\n", 400),
                (head + "Content-Length: 2000000\r\n\r\n", 413),
                (client.head("GET", "/") + "x: \(String(repeating: "y", count: 20_000))\r\n\r\n", 431),
                (client.head("GET", "/") + String(repeating: "a: b\r\n", count: 200) + "\r\n", 431),
                (String(repeating: "z", count: 100_000), 431),
            ]
            for (text, status) in requests {
                let answer = try RawClient.ask(client.port, text)
                #expect(answer.status == status, "\(text.prefix(200))")
            }
            #expect(try client.page("/echo").status == 200)
        }
    }

    @Test("A client that sends slowly is told so, and delays nobody")
    func slow() throws {
        var limits = PageServer.Limits()
        limits.request = .milliseconds(200)
        limits.connections = 4
        let server = try RunningServer(limits: limits)
        let client = try PageClient(server.address)
        let slow = try (0..<3).map { _ in try RawClient(port: server.port) }
        for one in slow { one.send("GET / HTTP/1.1\r\nHo") }
        #expect(try client.page("/echo").status == 200)
        for one in slow { #expect(try one.answer().status == 408) }
        // More than it looks after at once: the others wait until these are gone.
        let many = try (0..<8).map { _ in try RawClient(port: server.port) }
        #expect(try client.page("/echo").status == 200)
        withExtendedLifetime(many) {}
        try client.end()
        #expect(server.wait())
    }

    @Test("Two hundred connections that send nothing, or half a request, keep nobody out")
    func halfOpen() throws {
        let server = try RunningServer()
        let client = try PageClient(server.address)
        let many = try (0..<200).map { _ in try RawClient(port: server.port) }
        for one in many.enumerated() where one.offset.isMultiple(of: 2) { one.element.send("GET / HTTP/1.1\r\nHo") }
        for _ in 0..<3 { #expect(try client.page("/echo").status == 200) }
        withExtendedLifetime(many) {}
        try client.end()
        #expect(server.wait())
    }

    @Test("Without use it ends by itself; who is not let in does not count")
    func idle() throws {
        var limits = PageServer.Limits()
        limits.idle = .milliseconds(300)
        let server = try RunningServer(limits: limits)
        _ = try? RawClient.ask(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(server.wait())
    }

    @Test("A text comes back exactly, and a name is text on every page")
    func exactly() throws {
        let server = try RunningServer()
        try server.withClient { client in
            let text = "a\r\nb\u{0}<script>alert(1)</script>\"'&+%~\u{202E}é"
            let path = "/echo?~text=\(PercentCoding.encoded(PercentCoding.encoded(text)))"
            let page = try client.page(path)
            #expect(!page.body.contains("<script>alert"))
            let form = try #require(PageForm.all(in: page.body).first)
            let next = try client.submit(form)
            #expect(server.echo.done.withLock { $0 } == [text])
            #expect(next.body.contains("role=\"status\""))
            #expect(!next.body.contains("<script>alert"))
            let home = try client.page("/")
            #expect(home.body.contains("&lt;img src=x onerror=alert(1)&gt;"))
            #expect(!home.body.contains("<img"))
            let fault = try client.page("/echo/fault")
            #expect(fault.status == 422)
            #expect(fault.body.contains("&lt;b&gt;fault&lt;/b&gt;"))
        }
    }
}
