/// Pages about one subject, such as conflicts, history, or the backups of Slate.
///
/// **How a page is added.** Write a type of this protocol in the target of the commands it belongs to
/// (`Sources/foldersync/Pages`, `Sources/slate-backup/Pages`, …), and name it where that program's `open` and
/// `satchel open` make their ``Site``. A page calls the functions that the commands call; it has no logic of its own.
///
/// - A **GET** shows. It changes nothing, and may come twice.
/// - A **POST** decides or changes, and answers with ``PageResponse/done(_:then:undo:)``, which leads the browser back
///   to a page that says what was done. It comes only from forms that ``PageRequest/form(_:_:_:)`` made: the server
///   has checked the token, the host and the origin before it asks a source.
/// - **Links** are made by ``PageRequest/link(_:_:_:)`` or ``PageRequest/address(_:_:)``, so that they work in an export
///   as well. Forms vanish from an export, and so should every sentence that speaks of a button
///   (``PageRequest/isExport``).
/// - **Names are hostile.** Put them into ``HTML`` by interpolation, keys into links and forms by the functions above,
///   which give them back exactly.
/// - **Paths** are told to who sits at this device, and not in an export: it names a store by its app, and sentences
///   of the program go through ``PageRequest/sentence(_:)``.
/// - **Long lists** are paged by ``Paging``.
/// - **Times** come from the request: ``PageRequest/now`` and ``PageRequest/clock``.
/// - **Style** is `Assets/pages.css` for what all pages share, `Assets/apps.css` for calendars, maps and dials of the
///   apps. No `style` attribute works. Text says what colour says.
/// - **Errors** that are thrown become a page with the sentence that the command would print.
///
/// A source is a value: it keeps no state between requests, and opens its files in each.
package protocol PageSource: Sendable {
    /// The links to its pages that every page shows; the first path of a source is also the beginning of the paths of
    /// its other pages: who has `/backups` is asked for `/backups/compare` too.
    var links: [PageLink] { get }

    /// Returns the source's part of the first page; nil for nothing.
    ///
    /// - Throws: What the commands throw.
    func overview(for request: PageRequest) throws -> PageOverview?

    /// The folders of this device that its pages and errors may name.
    var places: LocalPlaces { get }

    /// Returns the answer to a request for one of its paths.
    ///
    /// - Throws: What the commands throw; the server says it on a page.
    func response(to request: PageRequest) throws -> PageResponse
}

extension PageSource {
    package func overview(for request: PageRequest) throws -> PageOverview? { nil }

    package var places: LocalPlaces { LocalPlaces() }
}

/// A page, and what it is called in the navigation.
package struct PageLink: Sendable, Hashable {
    /// One or two words.
    package let title: String
    /// The path, which begins with a slash: `/history`.
    package let path: String

    /// Makes a link to a path.
    package init(_ title: String, _ path: String) { (self.title, self.path) = (title, path) }
}

/// The content of a page, without the frame that all pages share.
package struct Page: Sendable {
    /// The title of the window, and the only first-level heading of the page.
    package var title: String
    /// One sentence under the heading, such as what is shown and how much of it.
    package var summary: HTML
    /// All else: sections with headings of the second level.
    package var body: HTML

    /// Makes a page.
    package init(_ title: String, summary: HTML = HTML(), body: HTML) {
        (self.title, self.summary, self.body) = (title, summary, body)
    }
}

/// The answer of a source.
package struct PageResponse: Sendable {
    package enum Content: Sendable {
        /// A page within the frame.
        case page(Page)
        /// A whole document with a policy of its own, such as a session that runs.
        case document(html: String, policy: String)
        /// A file to keep, with its type: `text/csv; charset=utf-8`.
        case file(name: String, type: String, bytes: [UInt8])
        /// Something was done: the browser goes to a page, which says so.
        case done(notice: PageNotice, path: String)
        /// There is no such page.
        case missing
        /// The request asks for something that cannot be, with the reason; the page may show the form again.
        case refused(Page)
    }

    package let content: Content

    package static func page(_ page: Page) -> PageResponse { PageResponse(content: .page(page)) }

    package static func document(_ html: String, policy: String) -> PageResponse {
        PageResponse(content: .document(html: html, policy: policy))
    }

    package static func file(_ name: String, type: String, _ bytes: [UInt8]) -> PageResponse {
        PageResponse(content: .file(name: name, type: type, bytes: bytes))
    }

    /// Returns the answer after a change.
    ///
    /// - Parameters:
    ///   - sentence: What was done: "Buy paint: due on 24 November."
    ///   - path: The page to go on with, from ``PageRequest/path(_:_:)``.
    ///   - undo: The form that takes it back, where there is one.
    package static func done(_ sentence: String, then path: String, undo: HTML? = nil) -> PageResponse {
        PageResponse(content: .done(notice: PageNotice(sentence, undo: undo), path: path))
    }

    package static let missing = PageResponse(content: .missing)

    /// Returns a page with status 422, for input that is not valid.
    package static func refused(_ page: Page) -> PageResponse { PageResponse(content: .refused(page)) }
}

/// The notice of a change, shown once on the next page.
package struct PageNotice: Sendable {
    package let sentence: String
    package let undo: HTML?

    package init(_ sentence: String, undo: HTML? = nil) { (self.sentence, self.undo) = (sentence, undo) }
}

/// The overview of a subject on the first page.
package struct PageOverview: Sendable {
    /// The states of a subject.
    package enum Health: Sendable { case good, attention, fault }

    /// A device, a store, a folder: a card of the first page.
    package struct Card: Sendable {
        package var title: String
        package var health: Health
        /// The state in a word or two, as colour alone says nothing: "up to date", "not seen for 9 days".
        package var state: String
        /// Facts, a line each.
        package var lines: [HTML]
        /// The pages with more of it.
        package var links: HTML

        package init(_ title: String, _ health: Health, _ state: String, lines: [HTML] = [], links: HTML = HTML()) {
            (self.title, self.health, self.state) = (title, health, state)
            (self.lines, self.links) = (lines, links)
        }
    }

    /// The problems that need a person, each as a part of a sentence: "2 conflicts", "1 device not seen for 9 days".
    package var problems: [String] = []
    /// The things that are fine, each as a sentence without its full stop: "All 3 devices are up to date".
    package var fine: [String] = []
    /// The heading above the cards.
    package var heading: String
    package var cards: [Card] = []
    /// The next steps, each a link with its reason or a command.
    package var next: [HTML] = []

    package init(_ heading: String) { self.heading = heading }
}
