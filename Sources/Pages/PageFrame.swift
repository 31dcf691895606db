/// The document around a page: the navigation, the heading, what was done, and a foot.
package struct PageFrame: Sendable {
    /// The name of the whole: "Satchel".
    package let title: String
    /// The pages that every page leads to.
    package let links: [PageLink]
    /// The context of the pages.
    package let context: PageContext

    /// The paths of the style and of the script.
    package static let style = "/pages.css"
    package static let script = "/pages.js"

    package init(title: String, links: [PageLink], context: PageContext) {
        (self.title, self.links, self.context) = (title, links, context)
    }

    /// The policy for what a page may load, send and be framed by.
    ///
    /// In an export, which has no script, it is in the page's element `meta`.
    package static let policy = """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; \
        frame-ancestors 'none'; base-uri 'none'
        """

    private static let exportPolicy: HTML = """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:; \
        img-src 'self' file: data:; form-action 'none'; base-uri 'none'">
        """

    /// Returns the whole document.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - path: Its path, by which the navigation marks where the reader is.
    ///   - notice: What was done just before.
    ///   - foot: What stands at the end of the page.
    package func document(_ page: Page, at path: String, notice: PageNotice? = nil, foot: HTML = HTML()) -> String {
        let isExport = context.isExport
        let script: HTML = "<script src=\"\(context.address(Self.script))\" defer></script>"
        let html: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            \(HTML(trusted: HTMLPage.mark))
            \(isExport ? Self.exportPolicy : HTML())
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(page.title == title ? title : "\(page.title) – \(title)")</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="\(context.address(Self.style))">
            \(isExport ? HTML() : script)
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <header>
            <p class="brand">\(title)</p>
            <nav aria-label="Pages"><ul>
            \(links.map { item($0, at: path) })
            </ul></nav>
            </header>
            <main id="content" tabindex="-1">
            <h1>\(page.title)</h1>
            \(notice.map(box) ?? HTML())
            \(page.summary.isEmpty ? HTML() : "<p class=\"summary\">\(page.summary)</p>")
            \(page.body)
            </main>
            <footer>\(foot)</footer>
            </body>
            </html>

            """
        return html.description
    }

    private func item(_ link: PageLink, at path: String) -> HTML {
        let isHere = path == link.path || link.path != "/" && path.hasPrefix(link.path + "/")
        let current: HTML = isHere ? " aria-current=\"page\"" : ""
        return "<li><a href=\"\(context.address(link.path))\"\(current)>\(link.title)</a></li>"
    }

    private func box(_ notice: PageNotice) -> HTML {
        "<div class=\"notice\" role=\"status\"><p>\(notice.sentence)</p>\(notice.undo)</div>"
    }
}
