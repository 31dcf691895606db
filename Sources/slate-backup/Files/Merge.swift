internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import RecordMerge
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Merge two backups that come from one, such as a conflict copy of Syncthing.",
            discussion: """
                Rows and their members come together: a habit that both ticked on one day is one completion. Where both \
                backups changed the same, the first one's is kept, the conflict is reported, and the exit code is 3. Of tasks \
                that wait for each other in a circle, of those whose dependency one backup set, the one that was \
                changed last waits no more. Without a base nobody knows what was deleted: what only one has is kept, \
                and all that differs is reported. What a backup cannot hold, as it is of an older version or made \
                without the app's settings, counts as unchanged.

                As a merge driver of git: git config merge.slate.driver 'slate-backup merge %O %A %B -o %A', and in \
                .gitattributes Slate-*.json merge=slate
                """
        )

        @OptionGroup var format: FormatOption
        @OptionGroup var keys: DecryptionOptions
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var files: MergeFiles

        func run() throws {
            let parts = try files.parts()
            try files.check(format)
            let ours = try input(SlateInput.read(parts.ours))
            let theirs = try input(SlateInput.read(parts.theirs))
            let base = try parts.base.map { try input(SlateInput.read($0)) }
            let schema = try JSONDocument(parsing: SlateFormat.versions.currentSchema).root.value
            let rules = try MergeSchema(reading: schema)
            let merge = try DocumentMerge(
                base: base?.value,
                ours: ours.completed(by: base ?? theirs, rules),
                theirs: theirs.completed(by: base ?? ours, rules),
                rules,
                .slateFiles
            )
            // The merged backup is read as any other, and written as any other.
            var document = merge.document
            SlateTable.separateKeys(&document)
            let reading = SlateFormat.read(document.encoded(.compact), name: "the merged backup")
            guard let content = reading.content else {
                throw CommandFailure(.badData, Messages.notMergeable, diagnostics: reading.diagnostics)
            }
            let target = OutputFile(files.output)
            try confirmation.requireReplacing(
                target,
                unless: { SlateInput.read(target.path, asks: false).input?.reading.isValid == true }
            )
            try target.write(try content.encoded())
            try MergeReport(merge, output: files.output, wording: Self.wording(merge.document)).finish(format)
        }

        /// Returns the words of a report: tasks and habits have titles.
        private static func wording(_ document: JSONValue) -> MergeReport.Wording {
            var titles: [RecordKey: String] = [:]
            for table in [SlateTable.tasks, .habits] {
                for row in document[table.name]?.array ?? [] {
                    guard let id = row["id"]?.string else { continue }
                    titles[RecordKey(table.name, id)] = row["title"]?.string
                }
            }
            return MergeReport.Wording { titles[$0] }
        }

        private func input(_ read: (report: FileReport, input: SlateInput?)) throws -> MergeInput {
            let found = try SlateInput.require(read, format)
            let value = try JSONDocument(parsing: try found.content.encoded(style: .compact)).root.value
            return MergeInput(value, version: found.input.reading.documentVersion)
        }
    }
}
