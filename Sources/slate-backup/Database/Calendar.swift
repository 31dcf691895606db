internal import ArgumentParser
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Calendar: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "calendar",
            abstract: "Write due dates and habit reminders as iCalendar.",
            discussion: """
                A calendar program imports the file, or subscribes to it; run it again to bring the file up to date. Open \
                tasks with a due date are events of a whole day, habits with a reminder are events of every day.

                --folder keeps slate-tasks.ics and slate-habits.ics in a folder for subscriptions, which is made in an existing \
                one: a file is written only \
                where its events changed, and what was deleted or done is not in it any more. Let cron run it, such as \
                */15 * * * * slate-backup calendar --folder ~/Calendars
                """
        )

        @OptionGroup var options: EditOptions
        @OptionGroup var confirmation: ConfirmationOption

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Write to this file; - is the standard output.", valueName: "file"),
            completion: .file(extensions: ["ics"])
        )
        var output: String?

        @Option(
            help: ArgumentHelp("Keep the files in this folder up to date.", valueName: "folder"),
            completion: .directory
        )
        var folder: String?

        func validate() throws {
            if output != nil, folder != nil { throw ValidationError(Messages.outputAndFolder) }
        }

        func run() throws { try options.run { try write() } }

        private func write() throws {
            if let folder { return try update(folder) }
            let output = output ?? "-"
            let target = OutputFile(output)
            if target.isStandardOutput, options.output.format == .json {
                throw CommandFailure(.usage, Messages.calendarToOutput)
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
            let text = Messages.wroteCalendar(calendar.tasks, calendar.habits, output)
            try options.output.print(
                TerminalText.safe(text) + "\n",
                [
                    "file": .string(output),
                    "dueDates": .number(calendar.tasks),
                    "reminders": .number(calendar.habits),
                ]
            )
        }

        /// Brings the files of a folder up to date.
        private func update(_ folder: String) throws {
            let generator = "slate-backup \(SatchelVersion.current)"
            let calendars = try options.reading { records, _ in
                [
                    (
                        "slate-tasks.ics",
                        SlateCalendar.encodeLasting(
                            "Slate: tasks",
                            tasks: try records.tasks(),
                            generator: generator
                        )
                    ),
                    (
                        "slate-habits.ics",
                        SlateCalendar.encodeLasting(
                            "Slate: habits",
                            habits: try records.habits(),
                            generator: generator
                        )
                    ),
                ]
            }
            try FolderListing.make(folder)
            let files = calendars.map { name, calendar in
                (OutputFile(folder.hasSuffix("/") ? "\(folder)\(name)" : "\(folder)/\(name)"), calendar)
            }
            for (file, _) in files {
                try file.check()
                try confirmation.requireReplacing(file, unless: { Self.isCalendar(file) })
            }
            var text = ""
            var json: [JSONValue] = []
            for (file, calendar) in files {
                let isSame = (try? InputFile(reading: file.path).bytes) == calendar.bytes
                if !isSame { try file.write(calendar.bytes) }
                text += Messages.calendar(file.path, calendar.events, isSame: isSame)
                json.append([
                    "file": .string(file.path), "events": .number(calendar.events),
                    "changed": .bool(!isSame),
                ])
            }
            try options.output.print(
                text.split(separator: "\n").map { TerminalText.safe(String($0)) + "\n" }.joined(),
                ["folder": .string(folder), "files": .array(json)]
            )
        }

        /// Tells whether a calendar of this program is at that path, which a new one may replace without a question.
        private static func isCalendar(_ output: OutputFile) -> Bool {
            let head = try? InputFile.head(of: output.path)
            return head.map { String(decoding: $0, as: UTF8.self).contains("PRODID:-//Satchel//slate-backup") } ?? false
        }
    }
}
