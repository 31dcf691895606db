/// One page of a long list.
package struct Paging: Sendable {
    /// The number of the page, from 1 on.
    package let page: Int
    /// The number of pages, at least 1.
    package let pages: Int
    /// The rows of this page.
    package let rows: Range<Int>

    /// Makes the paging for the page that the field `page` of a request names, or the nearest one.
    package init(_ request: PageRequest, count: Int, size: Int = 100) {
        pages = max(1, (max(0, count) + size - 1) / size)
        page = min(max(request.number("page") ?? 1, 1), pages)
        rows = (page - 1) * size..<max((page - 1) * size, min(page * size, count))
    }

    /// Returns the links to the pages before and after; empty where there is one page.
    ///
    /// - Parameter address: The address of a page by its number: `{ request.address("/history", ["page": "\($0)"]) }`.
    package func links(_ address: (Int) -> String) -> HTML {
        guard pages > 1 else { return HTML() }
        func link(_ number: Int, _ text: HTML, _ isOpen: Bool) -> HTML {
            isOpen ? "<a href=\"\(address(number))\">\(text)</a>" : "<span>\(text)</span>"
        }
        return """
            <nav class="paging" aria-label="Pages of the list">
            \(link(1, "First", page > 1)) \(link(page - 1, "Previous", page > 1))
            <span aria-current="page">Page \(page) of \(pages)</span>
            \(link(page + 1, "Next", page < pages)) \(link(pages, "Last", page < pages))
            </nav>
            """
    }
}
