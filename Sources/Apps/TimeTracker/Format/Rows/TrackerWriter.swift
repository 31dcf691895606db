import CivilTime
public import FormatKit
public import StrictJSON

/// Writes Time Tracker exports.
public enum TrackerWriter {
    /// The number of written records, and what a reader of its version will not see.
    public struct Outcome: Sendable, Hashable {
        /// The number of buttons.
        public var buttons = 0
        /// The number of activities.
        public var activities = 0
        /// The values that a person wrote and the version cannot hold; empty for the current version.
        public var losses: [MigrationLoss] = []
        /// The values that nobody wrote and the version cannot hold.
        public var notes: [MigrationLoss] = []
    }

    /// Writes an export row by row, in memory that does not grow with it: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - source: The content.
    ///   - version: The version to write, for older programs.
    ///   - writer: Takes the text; the caller finishes it. Its style is not the canonical one.
    ///   - progress: Called now and then with the number of activities written so far.
    package static func write(
        _ source: some TrackerSource,
        version: Int = TrackerFormat.currentVersion,
        to writer: inout JSONWriter,
        progress: (Int) -> Void = { _ in }
    ) throws -> Outcome {
        try TrackerFormat.versions.chain().check(version)
        var outcome = Outcome()
        var envelope = JSONObject()
        envelope["format"] = .string(TrackerFormat.name)
        envelope["version"] = .number(TrackerFormat.currentVersion)
        envelope["exportedAt"] = try source.exportedAt.map(JSONValue.string)
        envelope["timeZone"] = try source.timeZone.map(JSONValue.string)
        for member in try source.unknownMembers { envelope[member.name] = member.value }
        if version == 1 {
            outcome.notes = TrackerEnvelope.notes(envelope)
            envelope = TrackerEnvelope.down(envelope)
        }
        writer.beginObject()
        let top = TrackerLayout.top(version)
        for name in top {
            switch name {
            case "buttons": outcome.buttons = try writeButtons(source, to: &writer)
            case "activities":
                try writeActivities(source, version, to: &writer, &outcome, progress)
            default:
                guard let value = envelope.removeValue(forName: name) else { continue }
                writer.name(name)
                writer.value(value)
            }
        }
        for member in envelope.ordered([]) {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.endObject()
        progress(outcome.activities)
        return outcome
    }

    private static func writeButtons(_ source: some TrackerSource, to writer: inout JSONWriter) throws -> Int {
        let buttons = try source.buttons
        writer.name(plain: "buttons")
        writer.beginArray()
        for button in buttons { writer.value(button.json) }
        writer.endArray()
        return buttons.count
    }

    private static func writeActivities(
        _ source: some TrackerSource,
        _ version: Int,
        to writer: inout JSONWriter,
        _ outcome: inout Outcome,
        _ progress: (Int) -> Void
    ) throws {
        var losses = TrackerLosses()
        writer.name(plain: "activities")
        writer.beginArray()
        let rows = try source.rows()
        while let row = try rows.next() {
            if version > 1 {
                row.write(to: &writer)
            } else if row.isPlain {
                row.writeMilliseconds(to: &writer)
            } else {
                let older = TrackerStep1To2.downgrade(row.activity.json.object ?? JSONObject(), &losses)
                writer.value(.object(older.ordered(TrackerLayout.activity)))
            }
            outcome.activities += 1
            if outcome.activities & 0x3FFF == 0 { progress(outcome.activities) }
        }
        writer.endArray()
        outcome.losses = losses.found
    }
}

extension TrackerRow {
    /// True if version 1 can hold the activity as it is.
    fileprivate var isPlain: Bool {
        func isPlain(_ time: ZonedTimestamp) -> Bool {
            time.offsetMinutes == nil && time.moment.submilliseconds == 0
        }
        return unknownMembers.isEmpty && isPlain(start) && end.map(isPlain) ?? true
    }

    /// Writes the activity as an object of the current version.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeHead(to: &writer)
        writer.name(plain: "startTime")
        writer.time(start)
        if let end {
            writer.name(plain: "endTime")
            writer.time(end)
            writeDuration(end, to: &writer)
        }
        writeTail(to: &writer)
    }

    /// Writes the activity as an object of version 1.
    fileprivate func writeMilliseconds(to writer: inout JSONWriter) {
        writer.beginObject()
        writeHead(to: &writer)
        writer.name(plain: "startTime")
        writer.number(start.moment.milliseconds)
        if let end {
            writer.name(plain: "endTime")
            writer.number(end.moment.milliseconds)
            writeDuration(end, to: &writer)
        }
        writeTail(to: &writer)
    }

    private func writeHead(to writer: inout JSONWriter) {
        writer.name(plain: "id")
        writer.string(utf8: id)
        writer.name(plain: "name")
        writer.string(utf8: name)
        guard let buttonID else { return }
        writer.name(plain: "buttonId")
        writer.string(utf8: buttonID)
    }

    private func writeDuration(_ end: ZonedTimestamp, to writer: inout JSONWriter) {
        writer.name(plain: "duration")
        writer.number(end.moment.milliseconds(since: start.moment))
    }

    private func writeTail(to writer: inout JSONWriter) {
        if let color {
            writer.name(plain: "color")
            writer.string(utf8: color)
        }
        if !unknownMembers.isEmpty {
            for member in unknownMembers.ordered([]) {
                writer.name(member.name)
                writer.value(member.value)
            }
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a moment as RFC 3339.
    fileprivate mutating func time(_ time: ZonedTimestamp) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ZonedTimestamp.longest) { buffer in
            let count = time.write(to: buffer)
            string(utf8: UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

extension TrackerWriter {
    /// Returns the bytes of an export: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - source: The content.
    ///   - version: The version to write, for older programs.
    ///   - style: How it is laid out; `.canonical` for RFC 8785.
    /// - Throws: `version.newer`, `version.invalid`, and what the source throws.
    package static func encode(
        _ source: some TrackerSource,
        version: Int = TrackerFormat.currentVersion,
        style: JSONStyle = .indented
    ) throws -> (bytes: [UInt8], outcome: Outcome) {
        var bytes: [UInt8] = []
        let outcome = try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }
        ) {
            sink in
            var writer = JSONWriter(style: style == .canonical ? .compact : style, sink: sink)
            let outcome = try write(source, version: version, to: &writer)
            try writer.finish()
            return outcome
        }
        guard style == .canonical else { return (bytes, outcome) }
        var options = JSONParseOptions()
        options.maximumDepth = .max
        return (try JSONDocument(parsing: bytes, options: options).root.encoded(.canonical), outcome)
    }
}

extension TrackerContent {
    /// Returns the content as an export of a version.
    ///
    /// - Throws: `version.newer`, `version.invalid`.
    public func encoded(
        version: Int = TrackerFormat.currentVersion,
        style: JSONStyle = .indented
    ) throws -> (bytes: [UInt8], outcome: TrackerWriter.Outcome) {
        try TrackerWriter.encode(self, version: version, style: style)
    }

    /// Writes the content as an export of a version, row by row.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - sink: Takes the bytes, some 256 KB at a time.
    ///   - progress: Called now and then with the number of activities written so far.
    /// - Throws: `version.newer`, `version.invalid`, and what the sink throws.
    public func write(
        version: Int = TrackerFormat.currentVersion,
        to sink: @escaping JSONWriter.Sink,
        progress: (Int) -> Void = { _ in }
    ) throws -> TrackerWriter.Outcome {
        var writer = JSONWriter(style: .indented, sink: sink)
        let outcome = try TrackerWriter.write(self, version: version, to: &writer, progress: progress)
        try writer.finish()
        return outcome
    }
}

extension TrackerExport {
    /// Returns the content as an export of a version: the same content gives the same bytes.
    ///
    /// - Throws: `version.newer`, `version.invalid`.
    public func encoded(
        version: Int = TrackerFormat.currentVersion,
        style: JSONStyle = .indented
    ) throws -> (bytes: [UInt8], outcome: TrackerWriter.Outcome) {
        try TrackerWriter.encode(self, version: version, style: style)
    }
}
