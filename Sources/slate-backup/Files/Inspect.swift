internal import ArchiveIO
internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import JSONSchemaValidation
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Inspect: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Show what a backup holds, without a database.",
            discussion: """
                Reads .json, .slatebackup, and JSON inside any zip, tar or compressed file. Ends with 3 where there are \
                warnings, with 65 where the file is not valid.
                """
        )

        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Argument(
            help: "The file; - is the standard input.",
            completion: .file(extensions: ["json", "slatebackup", "zip"])
        )
        var file: String

        func run() throws {
            let found = try SlateInput.require(file, output, keepsDocument: true)
            let unknown = try Unknown(found.input.reading)
            try output.print(Self.text(found, unknown), Self.json(found, unknown))
            if found.report.status != .success { throw found.report.status.exitCode }
        }

        /// Members that the format does not know.
        struct Unknown {
            let count: Int
            /// The first of them.
            let pointers: [JSONPointer]

            /// Asks the schema of a valid document, which alone knows them; no row is read for that.
            init(_ reading: ParseResult<SlateContent>) throws(AppFormatError) {
                guard let document = reading.document, let version = reading.version else {
                    (count, pointers) = (0, [])
                    return
                }
                let report = try SlateFormat.versions.schema(version).validate(document, strict: true)
                count = report.total
                pointers = report.findings.map(\.pointer)
            }
        }

        static func text(_ found: SlateInput.Required, _ unknown: Unknown) -> String {
            let content = found.content
            var lines = ["\(found.file): Slate, version \(found.input.reading.version ?? 0)"]
            if let container = found.input.container { lines.append("in: \(container)") }
            if let generator = found.input.manifest?.generator { lines.append("written by: \(generator)") }
            lines.append("exported at: \(content.exportedAt)")
            lines.append("rows: \(content.count)")
            lines += content.counts.map { "  \($0.table): \($0.rows)" }
            lines.append("meta: \(content.meta.count)")
            lines += content.meta.members.map { "  \($0.name): \($0.value.string ?? $0.value.text(.compact))" }
            lines.append("unknown members: \(unknown.count)")
            lines += unknown.pointers.prefix(20).map { "  \($0)" }
            if unknown.count > 20 { lines.append("  … and \(unknown.count - 20) more") }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }

        static func json(_ found: SlateInput.Required, _ unknown: Unknown) -> JSONValue {
            [
                "file": .string(found.file),
                "format": "slate",
                "version": .number(found.input.reading.version ?? 0),
                "container": found.input.container.map { .string($0) } ?? .null,
                "generator": found.input.manifest?.generator.map { .string($0) } ?? .null,
                "exportedAt": .string(found.content.exportedAt),
                "size": .number(found.input.size),
                "rows": .number(found.content.count),
                "counts": found.content.counts.json,
                "meta": .object(found.content.meta),
                "unknownMembers": .number(unknown.count),
                "firstUnknownMembers": .array(unknown.pointers.prefix(20).map { .string($0.description) }),
            ]
        }
    }
}
