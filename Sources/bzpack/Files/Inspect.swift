internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

extension Bzpack {
    struct Inspect: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Show what a file of sessions or presets, a .bzpack or a backup holds, without a store.",
            discussion: """
                The content digest is the same for the same sessions, whoever exported them, when and in which version. \
                Ends with 3 where there are warnings.
                """
        )

        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Argument(
            help: "The file; - is the standard input.",
            completion: .file(extensions: ["bztimer", "bzpack", "json", "plist"])
        )
        var file: String

        func run() throws {
            let found = TimerInput.find(file)
            let reports = found.parts.map(\.report)
            for report in reports { StandardError.write(report.text) }
            guard reports.allSatisfy(\.isUsable) else {
                output.noteFailure(found.parts.map { $0.report.json(version: $0.version) })
                throw CommandFailure(reports.worst, diagnostics: [])
            }
            switch found {
            case .presets(_, let reading): try print(reading)
            case .sessions(let sessions): try print(sessions)
            case .backup(let report, let backup):
                if let backup { try output.print(Self.text(report.file, backup), Self.json(report.file, backup)) }
            case .workout: throw CommandFailure(.badData, Messages.useConvert(file))
            }
            if reports.worst != .success { throw reports.worst.exitCode }
        }

        private func print(_ reading: ParseResult<PresetFile>) throws(CommandFailure) {
            guard let content = reading.content else { return }
            try output.print(Self.text(reading, content), Self.json(reading, content))
        }

        private func print(_ found: BztimerInput.Found) throws(CommandFailure) {
            let contents = found.files.compactMap { part in
                part.reading.flatMap { reading in reading.content.map { (reading, $0) } }
            }
            if let pack = found.pack {
                try output.print(Self.text(pack, contents), Self.json(pack, contents))
            } else if let (reading, content) = contents.first {
                try output.print(Self.text(reading, content), Self.json(reading, content))
            }
        }

        static func text(_ reading: ParseResult<BztimerFile>, _ file: BztimerFile) -> String {
            var lines = ["\(reading.name ?? ""): BZ Timer, version \(reading.version ?? 0)"]
            if let generator = file.generator { lines.append("written by: \(generator)") }
            if let exportedAt = file.exportedAt { lines.append("exported at: \(exportedAt)") }
            lines.append("digest: \(ContentDigest(of: file))")
            lines.append("sessions: \(file.sessions.count)")
            lines += file.sessions.map { session in
                "  \(session.name): \(Words.count(session.items.count, "block")), \(Words.length(session.totalSeconds))"
            }
            if let activities = file.activities {
                lines.append("activities: \(activities.count)")
                lines += activities.map { "  \($0.label): \(Words.timing($0.timing)), \($0.category ?? "no category")" }
            }
            let custom = Categories.custom(in: file.sessions, file.activities ?? [])
            lines.append("custom categories: \(custom.isEmpty ? "none" : custom.joined(separator: ", "))")
            lines += unknown(reading.unknownMembers())
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }

        private static func text(_ name: String, _ backup: TimerBackup) -> String {
            var lines = ["\(name): backup of BZ Timer, version \(TimerBackup.version)"]
            if let generator = backup.json["generator"]?.string { lines.append("written by: \(generator)") }
            if let createdAt = backup.json["createdAt"]?.string { lines.append("created at: \(createdAt)") }
            lines.append("holds: \(Backups.words(backup))")
            lines += backup.records.map { "  \(Backups.noun($0.collection)) \"\($0.name)\"" }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }

        private static func json(_ name: String, _ backup: TimerBackup) -> JSONValue {
            func records(_ collection: String) -> JSONValue {
                .array(
                    backup.records.filter { $0.collection == collection }
                        .map { ["id": .string($0.id), "name": .string($0.name)] }
                )
            }
            let history = backup.counts.first { $0.collection == "history" }?.count ?? 0
            return [
                "file": .string(name), "format": .string(TimerBackup.format),
                "version": .number(TimerBackup.version),
                "generator": backup.json["generator"] ?? .null, "createdAt": backup.json["createdAt"] ?? .null,
                "sessions": records("sessions"), "activities": records("activities"), "presets": records("presets"),
                "history": .number(history),
            ]
        }

        static func unknown(_ members: [JSONPointer]) -> [String] {
            var lines = ["unknown members: \(members.count)"] + members.prefix(20).map { "  \($0)" }
            if members.count > 20 { lines.append("  … and \(members.count - 20) more") }
            return lines
        }

        static func json(_ reading: ParseResult<BztimerFile>, _ file: BztimerFile) -> JSONValue {
            [
                "file": .string(reading.name ?? ""),
                "format": "bztimer",
                "version": .number(reading.version ?? 0),
                "generator": file.generator.map { .string($0) } ?? .null,
                "exportedAt": file.exportedAt.map { .string($0) } ?? .null,
                "digest": .string(ContentDigest(of: file).description),
                "sessions": .array(
                    file.sessions.map { session in
                        [
                            "id": .string(session.id),
                            "name": .string(session.name),
                            "blocks": .number(session.items.count),
                            "totalSeconds": session.totalSeconds.map { .number($0) } ?? .null,
                            "digest": .string(ContentDigest(of: session).description),
                        ]
                    }
                ),
                "activities": .number(file.activities?.count ?? 0),
                "customCategories": .array(
                    Categories.custom(in: file.sessions, file.activities ?? []).map(JSONValue.string)
                ),
                "unknownMembers": .array(reading.unknownMembers().map { .string($0.description) }),
            ]
        }
    }
}
