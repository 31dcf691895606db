internal import ArgumentParser
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Calendar: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write due dates and habit reminders as iCalendar.",
            discussion: """
                A calendar program imports the file, or subscribes to it; run it again to bring the file up to date. Open \
                tasks with a due date are events of a whole day, habits with a reminder are events of every day.
                """
        )

        @OptionGroup var options: EditOptions
        @OptionGroup var confirmation: ConfirmationOption

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Write to this file; - is the standard output.", valueName: "file"),
            completion: .file(extensions: ["ics"])
        )
        var output = "-"

        func run() throws { try options.run { try write() } }

        private func write() throws {
            let target = OutputFile(output)
            if target.isStandardOutput, options.output.format == .json {
                throw CommandFailure(.usage, "the report and the calendar cannot both go to the standard output")
            }
            let stamp = try options.clock.moment(in: try options.zone.clock())
            let calendar = try options.reading { records, today in
                SlateCalendar.encode(
                    tasks: try records.tasks(),
                    habits: try records.habits(),
                    today: today,
                    stamp: stamp,
                    generator: "slate-backup \(SatchelVersion.current)"
                )
            }
            try target.check()
            try confirmation.requireReplacing(target, unless: { Self.isCalendar(target) })
            try target.write(calendar.bytes)
            guard !target.isStandardOutput else { return }
            let due = Words.count(calendar.tasks, "due date")
            let text = "Wrote \(due) and \(Words.count(calendar.habits, "reminder")) to \(output)."
            try options.output.print(
                TerminalText.safe(text) + "\n",
                [
                    "file": .string(output),
                    "dueDates": .number(JSONNumber(calendar.tasks)),
                    "reminders": .number(JSONNumber(calendar.habits)),
                ]
            )
        }

        /// Whether there is such a calendar at that path, which a new one may replace without a question.
        private static func isCalendar(_ output: OutputFile) -> Bool {
            let head = try? InputFile.head(of: output.path)
            return head.map { String(decoding: $0, as: UTF8.self).contains("PRODID:-//Satchel//slate-backup") } ?? false
        }
    }
}
