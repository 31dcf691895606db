internal import CivilTime
internal import Slate
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension SlateBackup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the backups in a folder, the newest first.",
            discussion: """
                Backups are known by their names, such as Slate-20260107.json or Slate-20260107-2.slatebackup. With \
                --verify each is read and checked; the command ends with 65 where one is not valid, with 3 where one has \
                warnings.
                """
        )

        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Flag(help: "Read and check each backup.")
        var verify = false

        @Argument(help: "The folder.", completion: .directory)
        var folder = "."

        func run() throws {
            let folder = try BackupFolder(folder)
            var rows: [Row] = []
            ProgressLine().forEach(folder.newestFirst, "Checking", "backups") { backup in
                guard verify else { return rows.append(Row(backup: backup, checked: nil)) }
                let (report, input) = SlateInput.read(folder.path(of: backup.name))
                StandardError.write(report.text)
                rows.append(
                    Row(backup: backup, checked: (report, input?.reading.version, input?.reading.content?.count))
                )
            }
            try output.print(text(rows, folder), json(rows, folder))
            let worst = rows.compactMap(\.checked?.report).worst
            if worst != .success { throw worst.exitCode }
        }

        private struct Row {
            let backup: BackupFolder.Backup
            let checked: (report: FileReport, version: Int?, rows: Int?)?
        }

        private func text(_ rows: [Row], _ folder: BackupFolder) -> String {
            guard !rows.isEmpty else {
                return TerminalText.safe(Messages.noBackups(in: folder.listing.path)) + "\n"
            }
            let checks: [TextTable.Column] = verify ? [.right("ROWS"), .fixed("STATE")] : []
            var table = TextTable([.fixed("NAME"), .fixed("DATE"), .right("BYTES")] + checks)
            for row in rows {
                let (name, checked) = (row.backup.name, row.checked)
                let state = checked.map { check in
                    [check.rows.map { "\($0)" } ?? "?", Self.state(check.report)]
                }
                table.add([name.description, name.day.description, "\(row.backup.size)"] + (state ?? []))
            }
            return table.render()
        }

        private static func state(_ report: FileReport) -> String {
            guard !report.isUsable else { return "valid" }
            return report.isLocked ? "encrypted, not opened" : report.isNewer ? "newer version" : "not valid"
        }

        private func json(_ rows: [Row], _ folder: BackupFolder) -> JSONValue {
            [
                "folder": .string(folder.listing.path),
                "backups": .array(
                    rows.map { row in
                        let name = row.backup.name
                        var object: JSONObject = [
                            "name": .string(name.description),
                            "date": .string(name.day.description),
                            "number": .number(name.number),
                            "kind": .string(name.kind.rawValue),
                            "size": .number(row.backup.size),
                        ]
                        if let checked = row.checked {
                            object["valid"] = .bool(checked.report.isUsable)
                            object["version"] = checked.version.map { .number($0) } ?? .null
                            object["rows"] = checked.rows.map { .number($0) } ?? .null
                        }
                        return .object(object)
                    }
                ),
            ]
        }
    }
}
