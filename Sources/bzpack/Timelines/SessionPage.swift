internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import Interchange
internal import Pages

/// A session as one self-contained HTML page: a bar with a part for each block, a table of the blocks, and the total.
///
/// Nothing is loaded from anywhere. Colors are those of the scheme that the reader prefers, on paper those of the light one;
/// what the bar says with color, the table says with words.
struct SessionPage {
    let session: SessionTemplate
    let timeline: Timeline

    /// - Throws: 65 where the session is longer than can be timed.
    init(_ session: SessionTemplate) throws(AppFormatError) {
        self.session = session
        timeline = try Timeline(session)
    }

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(HTMLPage.escaped(session.name))</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <h1>\(HTMLPage.escaped(session.name))</h1>
        <p>\(HTMLPage.escaped(Words.summary(of: session)))</p>
        \(bar)\(legend)<table>
        <thead><tr><th>#</th><th>Start</th><th>Length</th><th>Type</th><th>Block</th><th>Timing</th><th>Category</th>\
        </tr></thead>
        <tbody>
        \(rows)</tbody>
        <tfoot><tr><th colspan="2">Total</th><td>\(Words.length(timeline.total))</td><td colspan="4"></td></tr></tfoot>
        </table>
        </body>
        </html>

        """
    }

    // MARK: The bar

    /// A thousand units wide, with a part for each block; the title of a part is what a pointer over it shows.
    private var bar: String {
        guard timeline.total > 0 else { return "" }
        let label = HTMLPage.escaped("\(session.name), \(Words.length(timeline.total))")
        var text = "<svg class=\"bar\" viewBox=\"0 0 1000 64\" preserveAspectRatio=\"none\" role=\"img\""
        text += " aria-label=\"\(label)\">\n"
        for (index, entry) in timeline.entries.enumerated() {
            let from = position(entry.start)
            let title = HTMLPage.escaped("\(index + 1). \(entry.label), \(Words.length(entry.duration))")
            text += "<rect class=\"\(entry.phase.rawValue)\" x=\"\(hundredths(from))\" y=\"0\" height=\"64\""
            text += " width=\"\(hundredths(position(entry.end) - from))\"><title>\(title)</title></rect>\n"
        }
        return text + "</svg>\n<p class=\"scale\"><span>0:00</span><span>\(Words.position(timeline.total))</span></p>\n"
    }

    /// Returns the place of a second in hundredths of a unit.
    private func position(_ seconds: Int) -> Int {
        Int((Double(seconds) / Double(timeline.total) * 100_000).rounded())
    }

    private func hundredths(_ value: Int) -> String {
        let rest = value % 100
        return rest == 0 ? "\(value / 100)" : "\(value / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private var legend: String {
        let kinds = BlockKind.allCases.filter { kind in session.items.contains { $0.kind == kind } }
        guard !kinds.isEmpty else { return "" }
        let parts = kinds.map { kind in
            let seconds = zip(session.items, timeline.entries).reduce(0) {
                $0 + ($1.0.kind == kind ? $1.1.duration : 0)
            }
            return "<li><span class=\"key \(kind)\"></span>\(kind) \(Words.length(seconds))</li>"
        }
        return "<ul class=\"legend\">\(parts.joined())</ul>\n"
    }

    // MARK: The table

    private var rows: String {
        zip(session.items, timeline.entries).enumerated().map { index, pair in
            let (block, entry) = pair
            let cells = [
                "\(index + 1)", Words.position(entry.start), Words.length(entry.duration), block.kind.rawValue,
                block.label, Words.timing(block.timing), block.category ?? "",
            ]
            var texts = cells.map { HTMLPage.escaped($0) }
            if let notes = block.notes {
                texts[4] += "<div class=\"notes\">\(HTMLPage.escaped(notes, keepsLines: true))</div>"
            }
            let row = texts.map { "<td>\($0)</td>" }.joined()
            return "<tr class=\"\(block.kind)\">\(row)</tr>\n"
        }.joined()
    }

    private static let style = """
        :root { --ink: #1b1f24; --paper: #fff; --line: #c9ced6; --activity: #c2410c; --rest: #0f766e; --transition: #7c8593; }
        @media (prefers-color-scheme: dark) {
        :root { --ink: #e8eaed; --paper: #15181c; --line: #3d444d; --activity: #fb923c; --rest: #2dd4bf; --transition: #8b95a3; }
        }
        @media print {
        :root { --ink: #000; --paper: #fff; --line: #999; --activity: #c2410c; --rest: #0f766e; --transition: #7c8593; }
        body { margin: 0; max-width: none; font-size: 10pt; }
        }
        body { color: var(--ink); background: var(--paper); font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto;
        max-width: 60rem; padding: 0 1rem; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
        h1, td:nth-child(5) { overflow-wrap: anywhere; } td:nth-child(7) { overflow-wrap: break-word; }
        td { white-space: pre-line; } td:nth-child(4), td:nth-child(6) { white-space: nowrap; }
        td:nth-child(5) { min-width: 8em; width: 50%; } td:nth-child(7) { min-width: 5em; }
        .notes { font-size: 0.85em; opacity: 0.8; }
        .bar { display: block; width: 100%; height: 4rem; }
        rect { stroke: var(--paper); stroke-width: 1; vector-effect: non-scaling-stroke; }
        rect.activity { fill: var(--activity); } rect.rest { fill: var(--rest); } rect.transition { fill: var(--transition); }
        .scale { display: flex; justify-content: space-between; margin: 0.25rem 0 1rem; font-size: 0.85em; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 0; }
        .key { display: inline-block; width: 0.9em; height: 0.9em; margin-right: 0.4em; vertical-align: -0.1em; }
        .key.activity { background: var(--activity); } .key.rest { background: var(--rest); }
        .key.transition { background: var(--transition); }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); }
        td:nth-child(-n+3), th:nth-child(-n+3) { text-align: right; }
        tfoot th, tfoot td { font-weight: bold; border-bottom: 0; }
        @media (max-width: 44rem) { body { font-size: 14px; } th, td { padding: 0.3rem 0.3rem; } }
        thead { display: table-header-group; } tr { break-inside: avoid; }
        """
}
