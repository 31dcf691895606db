internal import TimeTracker
internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import Interchange

extension TrackerTool {
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a page about a day and its week: the 24 hours, totals, and a bar for each day.",
            discussion: """
                One HTML file that loads nothing and runs no script, for light and dark and for paper: \
                tracker-export report --output day.html
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: DayOptions
        @OptionGroup var confirmation: ConfirmationOption

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        func run() throws {
            let page = try store.reading().read { records in
                let zone = try records.timeZone()
                let clock = try when.localClock(stored: zone)
                let day = try when.day(clock, echo: .text)
                let now = try when.now(clock)
                return DayReport(
                    day: try records.summary(of: day, clock: clock, now: now),
                    week: try records.week(containing: day, clock: clock, now: now),
                    clock: clock,
                    timeZone: when.zone.timeZone ?? zone ?? TimeZone.current.identifier,
                    buttons: try records.buttons()
                )
            }
            let target = OutputFile(output)
            try target.checkTarget()
            try confirmation.requireReplacing(target, unless: { Self.isReport(target) })
            try target.write(Array(page.html.utf8))
            guard !target.isStandardOutput else { return }
            try StandardOutput.shared.write(TerminalText.safe("Wrote \(output).") + "\n")
        }

        /// Whether there is such a page at that path, which a new one may replace without a question.
        private static func isReport(_ output: OutputFile) -> Bool {
            let head = try? InputFile.head(of: output.path)
            return head.map { String(decoding: $0, as: UTF8.self).contains(DayReport.mark) } ?? false
        }
    }
}
