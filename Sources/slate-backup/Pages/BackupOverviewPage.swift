internal import CivilTime
internal import CommandSupport
internal import Pages
internal import Slate

/// The first page of the backups: the last good one, a calendar, the sizes, and the list.
struct BackupOverviewPage {
    let shelf: BackupShelf
    let request: PageRequest
    /// True if a person named the backups, so that nothing is said of others.
    let isChosen: Bool

    private typealias Path = BackupPages.Path

    var page: Page {
        let command = ProgramNames.asCalled("slate-backup backup\(StoreArgument.repeated)")
        let hint: HTML = "<p>Make one: <code>\(command)</code></p>"
        let body: HTML = """
            \(isChosen ? HTML() : state)
            \(isChosen || shelf.health.isFine ? HTML() : hint)
            \(BackupPages.searchForm(request, in: nil, nil))
            \(calendar)
            \(sizes)
            \(list)
            \(request.isExport || shelf.backups.count < 2
                ? HTML() : "<h2>Compare two</h2>" + BackupPages.compareForm(shelf, request))
            \(undo)
            """
        return Page("Backups", summary: summary, body: body)
    }

    private var summary: HTML {
        let count = Words.count(shelf.backups.count, "backup")
        // Who gets an export learns what there is, and not where.
        if isChosen { return request.isExport ? "\(count)." : "\(count), to restore into \(shelf.store)." }
        let every = shelf.notes.schedule.map { ", made \($0.every) by \($0.scheduler)" } ?? ""
        if request.isExport { return "\(count) of Slate\(every)." }
        return "\(count) of \(shelf.store) in \(shelf.folder ?? "no folder yet")\(every)."
    }

    private var state: HTML {
        let health = shelf.health
        let lost = health.lost.map { lost -> HTML in "<li>\(request.sentence("\(lost.note.file) \(lost.reason)")).</li>"
        }
        let more: HTML = lost.isEmpty ? HTML() : "<ul>\(lost)</ul>"
        guard let good = health.good else {
            return "<div class=\"state attention\"><strong>No backup is known to be good.</strong>\(more)</div>"
        }
        let records = Words.count(good.records, "record")
        let line: HTML = "<strong>Last good backup: \(health.ageWords)</strong>, \(records)."
        return health.isFine
            ? "<p class=\"state good\">\(line)</p>" : "<div class=\"state attention\">\(line)\(more)</div>"
    }

    /// Returns the state in words.
    static func words(_ state: ShelvedBackup.State) -> String {
        switch state {
        case .verified(let moment): "verified on \(moment.prefix(10))"
        case .unchecked: "not checked"
        case .lost(let reason): "not usable: it \(reason)"
        }
    }

    /// Returns the sign of a state, its word, and the classes of both.
    private static func mark(
        _ state: ShelvedBackup.State
    ) -> (sign: String, word: String, dot: HTML, badge: HTML) {
        switch state {
        case .verified: ("●", "verified", "dot good", "badge good")
        case .unchecked: ("○", "not checked", "dot attention", "badge attention")
        case .lost: ("✕", "not usable", "dot lost", "badge fault")
        }
    }

    // MARK: The calendar

    /// The months of a year with backups: that of the field `year`, else the last one.
    private var calendar: HTML {
        let years = Set(shelf.backups.map(\.day.yearAndMonth.year)).sorted(by: >)
        guard let last = years.first else { return HTML() }
        let year = request.number("year").flatMap { years.contains($0) ? $0 : nil } ?? last
        var byDay: [CivilDay: [ShelvedBackup]] = [:]
        for backup in shelf.backups { byDay[backup.day, default: []].append(backup) }
        let months = (1...12).compactMap { CivilDay(year: year, month: $0, day: 1)?.month }
            .filter { month in byDay.keys.contains { month.contains($0) } }
        let others = years.map { other -> HTML in
            let current: HTML = other == year ? " aria-current=\"true\"" : ""
            return "<li><a href=\"\(request.address(Path.all, ["year": "\(other)"]))\"\(current)>\(other)</a></li>"
        }
        let choice: HTML = "<nav aria-label=\"Years\"><ul class=\"days\">\(others)</ul></nav>"
        return """
            <h2>Calendar of \(year)</h2>
            \(years.count > 1 ? choice : HTML())
            <ul class="legend" aria-label="What the dots mean"><li><span class="dot good">●</span> verified</li>
            <li><span class="dot attention">○</span> not checked</li><li><span class="dot lost">✕</span> not usable</li></ul>
            <div class="months">\(months.map { month($0, byDay) })</div>
            """
    }

    private func month(_ days: ClosedRange<CivilDay>, _ byDay: [CivilDay: [ShelvedBackup]]) -> HTML {
        let (year, number) = days.lowerBound.yearAndMonth
        let weeks = stride(from: days.lowerBound.monday.number, through: days.upperBound.number, by: 7).map { monday in
            let cells = (monday..<monday + 7).map { number -> HTML in
                let day = CivilDay(number: number)
                return days.contains(day) ? cell(day, byDay[day] ?? []) : "<td></td>"
            }
            return "<tr>\(HTML(cells))</tr>" as HTML
        }
        let names: [HTML] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return """
            <table class="month">
            <caption>\(Self.months[number - 1]) \(year)</caption>
            <thead><tr>\(HTML(names.map { "<th scope=\"col\">\($0)</th>" }))</tr></thead>
            <tbody>
            \(weeks)
            </tbody>
            </table>
            """
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    private func cell(_ day: CivilDay, _ backups: [ShelvedBackup]) -> HTML {
        let number = day.components.day
        guard let first = backups.first else { return "<td>\(number)</td>" }
        let mark = Self.mark(first.state)
        let words = "\(day.words): \(Words.count(backups.count, "backup")), \(mark.word)"
        return """
            <td><a href="\(request.address(Path.file, ["file": first.path]))" title="\(words)"><span aria-hidden="true">\
            \(number) <span class="\(mark.dot)">\(mark.sign)</span></span>\
            <span class="visually-hidden">\(words)</span></a></td>
            """
    }

    // MARK: Sizes

    private var sizes: HTML {
        guard shelf.backups.count > 1 else { return HTML() }
        let points = shelf.backups.reversed().map { backup in
            let day = backup.day.words
            return Chart.Point(
                day.split(separator: " ").dropFirst().prefix(2).joined(separator: " "),
                Double(backup.size),
                words: "\(day): \(Words.count(backup.size, "byte"))"
            )
        }
        let chart = Chart("sizes", .line, title: "The size of each backup", points: points) { Self.bytes($0) }
        return "<h2>Size</h2>\(chart.svg)"
    }

    private static func bytes(_ number: Double) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (number, 0)
        while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        let tenths = Int((value * 10).rounded())
        return (tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)") + " \(units[unit])"
    }

    // MARK: The list

    private var list: HTML {
        guard !shelf.backups.isEmpty else { return HTML() }
        let paging = Paging(request, count: shelf.backups.count, size: 50)
        let rows = shelf.backups.indices[paging.rows].map { index -> HTML in
            let backup = shelf.backups[index]
            let mark = Self.mark(backup.state)
            return """
                <tr><th scope="row">\(request.link("\(backup.name)", Path.file, ["file": backup.path]))</th>\
                <td>\(backup.day.words)</td><td class="number" data-label="Size">\(Self.bytes(Double(backup.size)))</td>\
                <td class="number" data-label="Records">\(backup.records.map { "\($0)" } ?? "not counted")</td>\
                <td><span class="\(mark.badge)">\(mark.word)</span></td>\(comparison(at: index))</tr>
                """
        }
        return """
            <h2>All backups</h2>
            <div class="table"><table class="stack">
            <caption>\(Words.count(shelf.backups.count, "backup")), the newest first</caption>
            <thead><tr><th scope="col">File</th><th scope="col">Day</th><th scope="col" class="number">Size</th>\
            <th scope="col" class="number">Records</th><th scope="col">State</th>\(request.isExport ? HTML() : "<th scope=\"col\">Changes</th>")</tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            \(paging.links { request.address(Path.all, ["page": "\($0)"]) })
            """
    }

    /// Returns the cell with the link to what changed since the backup before.
    ///
    /// It is empty in an export, which would have to make each comparison.
    private func comparison(at index: Int) -> HTML {
        guard !request.isExport else { return HTML() }
        guard shelf.backups.indices.contains(index + 1) else { return "<td></td>" }
        let (backup, before) = (shelf.backups[index], shelf.backups[index + 1])
        let link = request.link(
            "Compare<span class=\"visually-hidden\"> \(backup.name)</span> with the one before",
            Path.compare,
            ["old": before.path, "new": backup.path]
        )
        return "<td>\(link)</td>"
    }

    private var undo: HTML {
        guard !shelf.copies.isEmpty else { return HTML() }
        let count = Words.count(shelf.copies.count, "copy")
        return "<h2>Undo</h2><p>\(request.link("Go back to one of \(count) of Slate", Path.undo))</p>"
    }
}
