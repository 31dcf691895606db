internal import CivilTime
internal import StrictJSON

/// The rules of the server: who may see pages, who may change something, and what was done just before.
///
/// A page is answered to whoever has the cookie, which the address that was opened gives to the first who comes.
struct PageService {
    private let site: Site
    private let host: String
    private let context: PageContext
    /// The beginning of all paths: nobody who does not know it is sent the cookie.
    private let base: String
    private let cookie: String
    private var entry: String?
    private var notices: [(name: String, notice: PageNotice)] = []
    /// True if the person has ended the server.
    private(set) var isEnded = false

    private static let cookieName = "satchel"
    private static let endPath = "/end"
    private static let mostNotices = 20

    /// - Parameter port: The port of 127.0.0.1 at which it is asked.
    init(_ site: Site, port: Int) {
        self.site = site
        host = "127.0.0.1:\(port)"
        let base = "/" + Self.secret(bytes: 8)
        (self.base, cookie, entry) = (base, Self.secret(bytes: 32), Self.secret(bytes: 32))
        context = PageContext(formToken: Self.secret(bytes: 32)) { base + $0 }
    }

    /// The address to open; it works once.
    var address: String { "http://\(host)\(base)/?entry=\(entry ?? "")" }

    private static func secret(bytes count: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.text((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Compares without telling by the time how much is alike.
    private static func isSame(_ given: String?, _ secret: String) -> Bool {
        let (given, secret) = (Array((given ?? "").utf8), Array(secret.utf8))
        guard given.count == secret.count else { return false }
        return zip(given, secret).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Answers a request, and tells the policy of the document.
    ///
    /// - Returns: Whether the request came from who has the cookie, besides the answer.
    mutating func answer(_ request: HTTPRequest) -> (response: HTTPResponse, policy: String, isKnown: Bool) {
        var policy = PageFrame.policy
        do {
            return (try known(request, &policy), policy, true)
        } catch {
            return (Self.plain(error.status, error.message), policy, false)
        }
    }

    /// Returns a message that does not look like a page, for those who may see none.
    static func plain(_ status: Int, _ message: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [("Content-Type", "text/plain; charset=utf-8")] + (status == 405 ? [("Allow", "GET, POST")] : []),
            body: Array("\(message)\n".utf8)
        )
    }

    private mutating func known(
        _ request: HTTPRequest,
        _ policy: inout String
    ) throws(HTTPRequest.Fault) -> HTTPResponse {
        // A foreign name that leads to 127.0.0.1 is what another page would have the browser ask.
        guard request["host"] == host else {
            throw .init(status: 421, message: "These pages are at http://\(host) and nowhere else.")
        }
        guard request.method == "GET" || request.method == "POST" else {
            throw .init(status: 405, message: "Pages are asked for by GET and POST.")
        }
        let sites = request.values("sec-fetch-site")
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" && request.method == "GET" }) else {
            throw .init(status: 403, message: "Another site asks for this page.")
        }
        guard let path = request.path, let query = request.query, !path.contains("\0"),
            path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy({ !["..", "."].contains(String(Substring($0))) })
        else { throw .init(status: 400, message: "The address is not a page's.") }
        guard path.hasPrefix(base + "/") else { throw .init(status: 404, message: "There is no such page.") }
        let place = String(path.dropFirst(base.utf8.count))
        if place == "/", request.method == "GET", let given = query.first(where: { $0.name == "entry" })?.value {
            return try enter(given, request)
        }
        guard Self.isSame(request.cookie(Self.cookieName), cookie) else {
            throw .init(status: 403, message: "Open the address that the program printed: it lets this browser in.")
        }
        return try answer(request, place, query, &policy)
    }

    /// Swaps the word of the opened address for a cookie, once.
    private mutating func enter(_ given: String, _ request: HTTPRequest) throws(HTTPRequest.Fault) -> HTTPResponse {
        let isIn = Self.isSame(request.cookie(Self.cookieName), cookie)
        guard isIn || entry.map({ Self.isSame(given, $0) }) == true else {
            throw .init(status: 403, message: "This address was used already. Run the command again for a new one.")
        }
        entry = nil
        var response = redirect(to: "/")
        if !isIn {
            let attributes = "Path=\(base)/; HttpOnly; SameSite=Strict"
            response.fields.append(("Set-Cookie", "\(Self.cookieName)=\(cookie); \(attributes)"))
        }
        return response
    }

    private func redirect(to path: String) -> HTTPResponse {
        HTTPResponse(status: 303, fields: [("Location", base + path)])
    }

    private mutating func answer(
        _ request: HTTPRequest,
        _ path: String,
        _ query: [(name: String, value: String)],
        _ policy: inout String
    ) throws(HTTPRequest.Fault) -> HTTPResponse {
        if request.method == "GET", let asset = Self.asset(path) { return asset }
        var fields = query
        if request.method == "POST" { fields += try form(request) }
        if path == Self.endPath, request.method == "POST" {
            isEnded = true
            let text: HTML = "<p>The program has ended. You can close this page; the command opens it again.</p>"
            return page(Page("Ended", body: text), 200, path, nil)
        }
        let asked = PageRequest(
            request.method == "POST" ? .post : .get,
            path,
            fields.filter { $0.name != "notice" },
            now: site.now(),
            clock: site.clock,
            context: context
        )
        let name = query.first { $0.name == "notice" }?.value
        let notice = notices.first { $0.name == name }?.notice
        switch site.response(to: asked).content {
        case .page(let found): return page(found, 200, path, notice)
        case .refused(let found): return page(found, 422, path, nil)
        case .missing: return page(Page("There is no such page", body: HTML()), 404, path, nil)
        case .document(let html, let own):
            policy = "\(own); frame-ancestors 'none'"
            return HTTPResponse(status: 200, fields: [Self.html], body: Array(html.utf8))
        case .file(let name, let type, let bytes):
            let file = "attachment; filename*=UTF-8''\(PercentCoding.encoded(name))"
            return HTTPResponse(
                status: 200,
                fields: [("Content-Type", type), ("Content-Disposition", file)],
                body: bytes
            )
        case .done(let notice, let path):
            let name = Self.secret(bytes: 8)
            notices = notices.suffix(Self.mostNotices - 1) + [(name, notice)]
            return redirect(to: "\(path)\(path.contains("?") ? "&" : "?")notice=\(name)")
        }
    }

    /// Returns the fields of a form that a page of this program made.
    private func form(_ request: HTTPRequest) throws(HTTPRequest.Fault) -> [(name: String, value: String)] {
        guard request["origin"] == "http://\(host)" else {
            throw .init(status: 403, message: "Only a page of this program may change something: wrong Origin.")
        }
        guard request["content-type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            throw .init(status: 415, message: "Expected a form.")
        }
        guard let text = String(validating: request.body, as: UTF8.self), let fields = HTTPRequest.form(text) else {
            throw .init(status: 400, message: "The form is encoded wrongly.")
        }
        let tokens = fields.filter { $0.name == "token" }
        guard tokens.count == 1, Self.isSame(tokens[0].value, context.formToken) else {
            throw .init(status: 403, message: "The form is not of these pages. Load the page again.")
        }
        return fields.filter { $0.name != "token" }
    }

    private static let html = ("Content-Type", "text/html; charset=utf-8")

    private func page(_ page: Page, _ status: Int, _ path: String, _ notice: PageNotice?) -> HTTPResponse {
        let end = PageRequest(now: site.now(), clock: site.clock, context: context)
            .form(Self.endPath, [:], "<button>End the program</button>")
        let foot: HTML = """
            <p>Only this machine sees these pages. They end by themselves when nobody uses them.</p>\(isEnded ? HTML() : end)
            """
        let frame = PageFrame(title: site.title, links: isEnded ? [] : site.links, context: context)
        let text = frame.document(page, at: path, notice: notice, foot: foot)
        return HTTPResponse(status: status, fields: [Self.html], body: Array(text.utf8))
    }

    private static func asset(_ path: String) -> HTTPResponse? {
        PageAssets.file(path).map { file in
            HTTPResponse(status: 200, fields: [("Content-Type", file.type)], body: file.bytes)
        }
    }
}

/// The style and the script.
enum PageAssets {
    /// Returns the file at a path; nil where there is none.
    static func file(_ path: String) -> (type: String, bytes: [UInt8])? {
        switch path {
        case PageFrame.style:
            ("text/css; charset=utf-8", PackageResources.pages_css + PackageResources.apps_css)
        case PageFrame.script: ("text/javascript; charset=utf-8", PackageResources.pages_js)
        default: nil
        }
    }
}
