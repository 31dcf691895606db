internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Inspect: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what a .bztimer file holds, without a store.",
            discussion: """
                The content digest is the same for the same sessions, whoever exported them, when and in which version. \
                Ends with 3 where there are warnings.
                """
        )

        @OptionGroup var output: FormatOption

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var file: String

        func run() throws {
            let input = try BztimerInput.require(file, output)
            try output.print(Self.text(input.reading, input.file), Self.json(input.reading, input.file))
            if input.status != .success { throw input.status.exitCode }
        }

        static func text(_ reading: BztimerReading, _ file: BztimerFile) -> String {
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
            lines.append("unknown members: \(reading.unknownMembers.count)")
            lines += reading.unknownMembers.prefix(20).map { "  \($0)" }
            if reading.unknownMembers.count > 20 { lines.append("  … and \(reading.unknownMembers.count - 20) more") }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }

        static func json(_ reading: BztimerReading, _ file: BztimerFile) -> JSONValue {
            [
                "file": .string(reading.name ?? ""),
                "format": "bztimer",
                "version": .number(JSONNumber(reading.version ?? 0)),
                "generator": file.generator.map { .string($0) } ?? .null,
                "exportedAt": file.exportedAt.map { .string($0) } ?? .null,
                "digest": .string(ContentDigest(of: file).description),
                "sessions": .array(
                    file.sessions.map { session in
                        [
                            "id": .string(session.id),
                            "name": .string(session.name),
                            "blocks": .number(JSONNumber(session.items.count)),
                            "totalSeconds": session.totalSeconds.map { .number(JSONNumber($0)) } ?? .null,
                            "digest": .string(ContentDigest(of: session).description),
                        ]
                    }
                ),
                "activities": .number(JSONNumber(file.activities?.count ?? 0)),
                "customCategories": .array(
                    Categories.custom(in: file.sessions, file.activities ?? []).map(JSONValue.string)
                ),
                "unknownMembers": .array(reading.unknownMembers.map { .string($0.description) }),
            ]
        }
    }
}
