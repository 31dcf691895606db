import CivilTime
import FormatKit
import StrictJSON

/// The checks of a tracker export that a schema cannot make: identifiers, references, and how its times go together.
///
/// With repair each error is mended and becomes a warning. Nothing that differs is dropped: of two different activities
/// with one id the second gets an id of its own.
final class TrackerChecks {
    let findings: TapeFindings
    /// The activities, as far as they were repaired.
    let rows: TrackerRows
    /// The places of the buttons on the tape, as far as they were repaired.
    let buttons: TrackerButtonChecks

    /// Checks a document of a version; of one that breaks its schema what it says means little, but it does not trap.
    init(_ document: JSONDocument, version: Int, repair: Bool) {
        let text = DocumentTape(document)
        findings = TapeFindings(text, repair: repair)
        rows = TrackerRows(text, version: version, at: document.root["activities"]?.index)
        buttons = TrackerButtonChecks(text, at: document.root["buttons"]?.index, findings)
        let spans = checkActivities()
        TrackerSpanChecks(rows, spans).check(findings)
        if rows.places.isEmpty, buttons.places.isEmpty {
            findings.add(.note, "tracker.empty", at: 0, "the file holds neither activities nor buttons")
        }
    }

    // MARK: Each activity

    private func checkActivities() -> [TrackerSpanChecks.Part] {
        var parts: [TrackerSpanChecks.Part] = []
        parts.reserveCapacity(rows.places.count)
        var ids = ByteKeyTable(capacity: rows.places.count)
        var batch = Array(repeating: Array(repeating: -1, count: TrackerRows.Column.count), count: Self.batchSize)
        var hashes = Array(repeating: UInt64(0), count: Self.batchSize)
        var removed: Set<Int> = []
        var fresh = FreshIDs()
        for start in stride(from: 0, to: rows.places.count, by: Self.batchSize) {
            let positions = start..<min(start + Self.batchSize, rows.places.count)
            for position in positions {
                // A row that is no object gets no cells.
                _ = rows.find(rows.places[position], into: &batch[position - start])
                if let id = rows.string(batch[position - start][TrackerRows.Column.id]) {
                    hashes[position - start] = ids.hash(id)
                }
            }
            ids.look(at: hashes)
            for position in positions {
                let (place, cells) = (rows.places[position], batch[position - start])
                if let id = rows.string(cells[TrackerRows.Column.id]),
                    let first = ids.insert(
                        id,
                        hash: hashes[position - start],
                        number: position,
                        key: { self.id(rows.places[$0]) }
                    )
                {
                    let isKept = reportDouble(place, cells[TrackerRows.Column.id], first: rows.places[first], &fresh)
                    if !isKept {
                        removed.insert(place)
                        continue
                    }
                }
                checkButton(cells[TrackerRows.Column.buttonID])
                if let part = part(place, cells) { parts.append(part) }
            }
        }
        if findings.repair { rows.remove(removed) }
        return parts
    }

    /// The number of ids that are looked up together, as they lie anywhere in a table of megabytes.
    private static let batchSize = 32

    private func id(_ place: Int) -> UnsafeBufferPointer<UInt8> {
        rows.cell(place, TrackerRows.Column.id).flatMap { rows.string($0) } ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Reports an activity whose id another one has, and tells whether it stays.
    private func reportDouble(_ place: Int, _ cell: Int, first: Int, _ fresh: inout FreshIDs) -> Bool {
        let text = findings.text
        let isSame = text.node(place).value == text.node(first).value
        let value = rows.string(cell).map { String(decoding: $0, as: UTF8.self) } ?? ""
        var fix = "this one is the same, and left out"
        if findings.repair, !isSame {
            let taken = { Set(self.rows.places.map { ScalarKey(String(decoding: self.id($0), as: UTF8.self)) }) }
            let id = fresh.next(for: value, taken: taken)
            fix = "the second gets the id \"\(id)\""
            text.replace(cell, by: id)
        }
        findings.addFixable(
            "tracker.duplicate-id",
            at: cell,
            fix: fix,
            "the activity id \"\(value)\" is used twice, first at \(findings.pointer(first))"
        )
        return !isSame
    }

    @inline(__always)
    private func checkButton(_ cell: Int) {
        guard let id = rows.string(cell), !buttons.contains(id) else { return }
        findings.add(
            .warning,
            "tracker.unknown-button",
            at: cell,
            "no button of the file has the id \(findings.quoted(cell)); the activity is kept with it"
        )
    }

    // MARK: Times of each activity

    @inline(__always)
    private func part(_ place: Int, _ cells: [Int]) -> TrackerSpanChecks.Part? {
        let (start, end) = (cells[TrackerRows.Column.start], cells[TrackerRows.Column.end])
        guard var span = rows.span(place, cells) else {
            if start >= 0 { reportTime(start) }
            return nil
        }
        if span.end == nil, end >= 0, rows.text.word(end).tag != .null { reportTime(end) }
        guard let ended = span.end else {
            return TrackerSpanChecks.Part(place: place, start: span.start.moment, end: nil)
        }
        if ended.moment < span.start.moment {
            findings.addFixable(
                "tracker.end-before-start",
                at: end,
                fix: "start and end are exchanged",
                "\(findings.quoted(cells[TrackerRows.Column.name])) ends at \(ended), before its start \(span.start)"
            )
            span = TrackerSpan(start: ended, end: span.start)
            if findings.repair { rows.setTimes(place, span) }
        }
        checkLength(span, cells)
        return TrackerSpanChecks.Part(place: place, start: span.start.moment, end: span.end?.moment)
    }

    private func reportTime(_ cell: Int) {
        findings.add(
            .error,
            "tracker.time",
            at: cell,
            "the time is outside of the years 0000 to 9999 in UTC"
        )
    }

    @inline(__always)
    private func checkLength(_ span: TrackerSpan, _ cells: [Int]) {
        guard let end = span.end else { return }
        let length = end.moment.milliseconds(since: span.start.moment)
        if length > 86_400_000 {
            findings.add(
                .note,
                "tracker.long-entry",
                at: cells[TrackerRows.Column.end],
                "\(findings.quoted(cells[TrackerRows.Column.name])) lasts \(length / 3_600_000) hours, more than a day"
            )
        }
        let cell = cells[TrackerRows.Column.duration]
        guard cell >= 0, let given = rows.number(cell), abs(given - Double(length)) > 1 else { return }
        findings.add(
            .warning,
            "tracker.duration",
            at: cell,
            "the duration says \(rows.text.node(cell).number?.token ?? "") ms, and the times \(length) ms; the times count"
        )
    }
}

extension TrackerRows {
    /// Returns the number at a place of the tape; nil where there is none.
    @inline(__always)
    fileprivate func number(_ cell: Int) -> Double? {
        let word = text.word(cell)
        switch word.tag {
        case .integer where word.payload <= 15: return Double(text.integer(word))
        case .integer, .decimal: return text.node(cell).number?.double
        default: return nil
        }
    }
}
