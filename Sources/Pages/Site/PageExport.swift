internal import CivilTime
internal import Synchronization

/// All pages of a site as files that lead to each other, without forms.
package struct PageExport: Sendable {
    /// A file of the export.
    package struct File: Sendable {
        /// The name, without folders.
        package let name: String
        package let bytes: [UInt8]
    }

    /// The most pages; of the others the links lead to a page that says so.
    package static let mostPages = 2_000

    /// The names of pages by path and query, and those that are still to be made.
    private final class Names: Sendable {
        private let state = Mutex<(names: [String: String], taken: Set<String>, open: [String])>(([:], [], []))

        func name(_ path: String) -> String {
            state.withLock { state in
                if let name = state.names[path] { return name }
                guard state.names.count < PageExport.mostPages else { return PageExport.missing }
                let name = Self.free(path, &state.taken)
                state.names[path] = name
                state.open.append(path)
                return name
            }
        }

        func next() -> (path: String, name: String)? {
            state.withLock { state in
                guard !state.open.isEmpty else { return nil }
                let path = state.open.removeFirst()
                return state.names[path].map { (path, $0) }
            }
        }

        /// Returns a name that says what the page is, and that every file system takes.
        ///
        /// A value with a slash in it, such as the path of a store, is left out: an export does not name folders of
        /// this device.
        private static func free(_ path: String, _ taken: inout Set<String>) -> String {
            let halves = path.split(separator: "?", maxSplits: 1)
            let given = halves.count == 2 ? HTTPRequest.form(halves[1]) ?? [] : []
            let fields = given.filter { !$0.value.utf8.contains(UInt8(ascii: "/")) }
            let said = ([String(halves.first ?? "")] + fields.map { "\($0.name) \($0.value)" }).joined(separator: " ")
            let words = said.utf8.split { byte in
                !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
            let text = words.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "-").prefix(60)
            let plain = text.isEmpty ? "index" : String(text)
            var (name, number) = (plain, 1)
            while !taken.insert(name).inserted {
                number += 1
                name = "\(plain)-\(number)"
            }
            // A table stays one for the programs that open it.
            return name + (path.prefix { $0 != "?" }.hasSuffix(".csv") ? ".csv" : ".html")
        }
    }

    private static let missing = "not-exported.html"

    /// Makes all pages that the first one leads to, one after the other.
    ///
    /// - Parameter take: Takes each file.
    /// - Returns: How many pages were made.
    /// - Throws: What `take` throws.
    package static func make(_ site: Site, _ take: (File) throws -> Void) throws -> Int {
        let names = Names()
        let context = PageContext(isExport: true, hiding: site.places) { path in
            PageAssets.file(path) == nil ? names.name(path) : String(path.dropFirst())
        }
        let frame = PageFrame(title: site.title, links: site.links, context: context)
        let day = site.clock.day(of: site.now())
        let foot: HTML = "<p>As of \(day.description).</p>"
        _ = names.name("/")
        var count = 0
        while let (path, name) = names.next() {
            let halves = path.split(separator: "?", maxSplits: 1)
            let request = PageRequest(
                .get,
                String(halves.first ?? "/"),
                halves.count == 2 ? HTTPRequest.form(halves[1]) ?? [] : [],
                now: site.now(),
                clock: site.clock,
                context: context
            )
            let bytes: [UInt8]
            switch site.response(to: request).content {
            case .page(let page), .refused(let page):
                bytes = Array(frame.document(page, at: request.path, foot: foot).utf8)
            case .document(let html, _): bytes = Array(html.utf8)
            case .file(_, _, let content): bytes = content
            case .done, .missing:
                let page = Page("There is no such page", body: HTML())
                bytes = Array(frame.document(page, at: request.path, foot: foot).utf8)
            }
            try take(File(name: name, bytes: bytes))
            count += 1
        }
        let left = Page(
            "Not exported",
            body: "<p>An export has at most \(mostPages) pages; this one is not among them.</p>"
        )
        try take(File(name: missing, bytes: Array(frame.document(left, at: "", foot: foot).utf8)))
        if let style = PageAssets.file(PageFrame.style) {
            try take(File(name: String(PageFrame.style.dropFirst()), bytes: style.bytes))
        }
        return count
    }
}
