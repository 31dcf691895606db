internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import RecordMerge
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

extension TrackerTool {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Merge two tracker exports, or two logs of Study Timer, that come from one.",
            discussion: """
                Activities, buttons and their members come together; of two running activities the earlier ends where the later \
                begins. Where both files changed the same, the first one's is kept, the conflict is reported, and the exit code \
                is 3. Without a base nobody knows what was deleted: what only one has is kept, and all that differs is \
                reported. What a file cannot hold, as it is of an older version or one table of Study Timer, counts as \
                unchanged.

                As a merge driver of git: git config merge.tracker.driver 'tracker-export merge %O %A %B -o %A'
                """
        )

        @OptionGroup var format: FormatOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var files: MergeFiles

        func run() throws {
            let parts = try files.parts()
            try files.check(format)
            let ours = try JSONLog.read(InputSource(log: parts.ours))
            let theirs = try JSONLog.read(InputSource(log: parts.theirs))
            let base = try parts.base.map { try JSONLog.read(InputSource(log: $0)) }
            for other in [theirs, base].compactMap(\.self) where other.isStudy != ours.isStudy {
                throw CommandFailure(
                    .badData,
                    "one of the files is Time Tracker's, another Study Timer's: they cannot be merged"
                )
            }
            let schema = try MergeSchema(reading: try ours.schema())
            let sides = [
                try ours.input.completed(by: (base ?? theirs).input, schema),
                try theirs.input.completed(by: (base ?? ours).input, schema),
            ]
            var merge = try DocumentMerge(
                base: base?.input.value,
                ours: sides[0],
                theirs: sides[1],
                schema,
                ours.isStudy ? .study : .trackerFiles
            )
            if ours.isStudy {
                merge.keepTogether(
                    ["status", "end_time", "accumulated_seconds"],
                    of: "sessions",
                    from: sides.map(JSONLog.completedSessions)
                ) { ($0["status"] == "completed") == ($0["end_time"]?.isNull ?? true) }
            } else {
                merge.keepTogether(
                    ["startTime", "endTime", "duration"],
                    of: "activities",
                    from: sides
                ) { entry in
                    let times = ["startTime", "endTime"].map { entry[$0]?.string.flatMap { Timestamp($0) } }
                    guard let start = times[0], let end = times[1] else { return false }
                    return end < start
                }
            }
            // The merged file is read as any other, and written as any other.
            let bytes = try ours.written(merge.document)
            let target = OutputFile(files.output)
            // A merge driver of git names ours once more.
            try confirmation.requireReplacing(target, unless: { files.output == parts.ours })
            try target.write(bytes)
            if let running = StudyWords.severalRun(merge.document) {
                StandardError.write(TerminalText.safe("\(target.path): \(running)") + "\n")
            }
            try MergeReport(merge, output: files.output).finish(format)
        }
    }

    /// A log as JSON of the current version.
    private struct JSONLog {
        let input: MergeInput
        let isStudy: Bool

        static func read(_ source: InputSource) throws -> JSONLog {
            let input = try LogText(source)
            let reading = TrackerFormat.read(input.bytes, name: input.name)
            guard reading.identity != .study else {
                let reading = StudyFormat.read(input.bytes, name: input.name)
                let log = try require(reading.content, FileReport(reading, file: input.name))
                var value = try JSONDocument(parsing: log.encoded(style: .compact).bytes).root.value
                // A list alone is one of the two tables, and says nothing of the other.
                let isList = reading.document?.root.kind == .array
                // All that the top level of a list holds is its name, which the merged log has no use for.
                if isList { value["x-preserved"] = nil }
                let unsaid: Set<String> = isList ? [log.events.isEmpty ? "events" : "sessions"] : []
                return JSONLog(
                    input: MergeInput(value, version: reading.documentVersion, unsaid: unsaid),
                    isStudy: true
                )
            }
            let content = try require(reading.content, FileReport(reading, file: input.name))
            var value = try JSONDocument(parsing: try content.encoded(style: .compact).bytes).root.value
            // The order of buttons is that of their positions, wherever they stand in the file.
            let buttons = (value["buttons"]?.array ?? []).enumerated().sorted { left, right in
                let places = (left.element["position"]?.int ?? 0, right.element["position"]?.int ?? 0)
                return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
            }
            value["buttons"] = .array(buttons.map(\.element))
            return JSONLog(input: MergeInput(value, version: reading.documentVersion), isStudy: false)
        }

        private static func require<T>(_ content: T?, _ report: FileReport) throws(CommandFailure) -> T {
            StandardError.write(report.text)
            guard let content else { throw CommandFailure(report.status, diagnostics: []) }
            return content
        }

        /// Returns the sessions of a log that are over.
        static func completedSessions(of value: JSONValue) -> JSONValue {
            ["sessions": .array((value["sessions"]?.array ?? []).filter { $0["status"] == "completed" })]
        }

        /// Returns the schema of the current version.
        func schema() throws -> JSONValue {
            let versions = isStudy ? StudyFormat.versions : TrackerFormat.versions
            return try JSONDocument(parsing: versions.currentSchema).root.value
        }

        /// Returns a merged document as the bytes of a file; seconds of Study Timer are computed from the events.
        func written(_ document: JSONValue) throws -> [UInt8] {
            let bytes = document.encoded(.compact)
            let name = "the merged file"
            guard isStudy else {
                let reading = TrackerFormat.read(bytes, name: name)
                return try checked(reading.content, reading.diagnostics).encoded().bytes
            }
            let reading = StudyFormat.read(bytes, name: name, repair: true)
            return try checked(reading.content, reading.diagnostics).encoded().bytes
        }

        private func checked<T>(_ content: T?, _ findings: [Diagnostic]) throws(CommandFailure) -> T {
            guard let content else {
                throw CommandFailure(.badData, Messages.notMergeable, diagnostics: findings)
            }
            return content
        }
    }
}
