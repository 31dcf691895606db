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
                is 3. Without a base nobody knows what was deleted: what only one has is kept, and all that differs is reported.

                As a merge driver of git: git config merge.tracker.driver 'tracker-export merge %O %A %B -o %A'
                """
        )

        @OptionGroup var format: FormatOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var files: MergeFiles

        func run() throws {
            let parts = try files.parts()
            try files.check(format)
            let ours = try JSONLog.read(parts.ours)
            let theirs = try JSONLog.read(parts.theirs)
            let base = try parts.base.map(JSONLog.read)
            for other in [theirs, base].compactMap(\.self) where other.isStudy != ours.isStudy {
                throw CommandFailure(
                    .badData,
                    "one of the files is Time Tracker's, another Study Timer's: they cannot be merged"
                )
            }
            var merge = try DocumentMerge(
                base: base?.value,
                ours: ours.value,
                theirs: theirs.value,
                try MergeSchema(reading: try ours.schema()),
                ours.isStudy ? .study : .tracker
            )
            if ours.isStudy {
                merge.keepTogether(
                    ["status", "end_time", "accumulated_seconds"],
                    of: "sessions",
                    from: [ours, theirs].map(\.onlyCompleted)
                ) { ($0["status"] == "completed") == ($0["end_time"]?.isNull ?? true) }
            } else {
                merge.keepTogether(
                    ["startTime", "endTime", "duration"],
                    of: "activities",
                    from: [ours.value, theirs.value]
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
        let value: JSONValue
        let isStudy: Bool

        static func read(_ path: String) throws -> JSONLog {
            let input = try LogText(InputSource(log: path))
            let reading = TrackerFormat.read(input.bytes, name: input.name)
            guard reading.identity != .study else {
                let reading = StudyFormat.read(input.bytes, name: input.name)
                let bytes = try require(reading.content, FileReport(reading, file: input.name)).encoded(style: .compact)
                    .bytes
                return JSONLog(value: try JSONDocument(parsing: bytes).root.value, isStudy: true)
            }
            let content = try require(reading.content, FileReport(reading, file: input.name))
            var value = try JSONDocument(parsing: try content.encoded(style: .compact).bytes).root.value
            // The order of buttons is that of their positions, wherever they stand in the file.
            let buttons = (value["buttons"]?.array ?? []).enumerated().sorted { left, right in
                let places = (left.element["position"]?.int ?? 0, right.element["position"]?.int ?? 0)
                return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
            }
            value["buttons"] = .array(buttons.map(\.element))
            return JSONLog(value: value, isStudy: false)
        }

        private static func require<T>(_ content: T?, _ report: FileReport) throws(CommandFailure) -> T {
            StandardError.write(report.text)
            guard let content else { throw CommandFailure(report.status, diagnostics: []) }
            return content
        }

        /// The sessions that are over.
        var onlyCompleted: JSONValue {
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
