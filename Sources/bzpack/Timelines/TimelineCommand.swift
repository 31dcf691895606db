internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import GymPulse
internal import StrictJSON

extension Bzpack {
    struct TimelineCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "timeline",
            abstract: "Show what a session or a preset does, second by second.",
            discussion: """
                A preset gets ready, then works and rests in each round of each set; a session runs its blocks in order. As \
                ical it is a calendar with an event for each phase or block, and needs --start.
                """
        )

        /// How the timeline is printed.
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case text, json, csv, ical
        }

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption

        @Option(help: "Print it as text, JSON, CSV or iCalendar.")
        var format: Format = .text

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Begin at this moment, such as 18:30, and show times.", valueName: "time"),
            transform: TimeExpression.moment
        )
        var start: TimeExpression?

        @Flag(help: "Begin a session with the countdown that the store's settings name.")
        var countdown = false

        @Option(
            help: ArgumentHelp(
                "Take it from this file, of sessions or presets or a Zwift workout; - is the standard input.",
                valueName: "file"
            ),
            completion: .file(extensions: ["bztimer", "json", "plist", "zwo"])
        )
        var file: String?

        @Argument(
            help: ArgumentHelp("The session or preset; may be left out where there is only one.", valueName: "name|id")
        )
        var name: String?

        func validate() throws {
            if format == .ical, start == nil { throw ValidationError("--format ical needs --start.") }
        }

        func run() throws {
            let (found, status) = try find()
            let timeline = try found.timeline(preCountdownSeconds: countdown ? try preCountdownSeconds() : 0)
            let localClock = try zone.clock()
            let start = try start?.moment(
                for: "--start",
                now: try clock.moment(in: localClock),
                clock: localClock,
                echo: format == .text ? .text : nil
            )
            try requireCalendarTime(timeline, start)
            switch format {
            case .text: try StandardOutput.shared.write(TimelineReport(timeline, start: start).text)
            case .json: try StandardOutput.shared.write(TimelineReport(timeline, start: start).json.encoded(.indented))
            case .csv: try StandardOutput.shared.write(TimelineTable.csv(timeline, start: start))
            case .ical: try StandardOutput.shared.write(try calendar(timeline, start))
            }
            if status != .success { throw status.exitCode }
        }

        private func find() throws -> (found: Runnable, status: ExitStatus) {
            guard let file else {
                let all = try store.reading().read { try Runnable.all($0) }
                return (try Runnable.choose(name, among: all, in: "the store"), .success)
            }
            let (all, status) = try Runnable.all(in: file)
            return (try Runnable.choose(name, among: all, in: "the file"), status)
        }

        /// What the settings say, or where there is no store the app's default.
        private func preCountdownSeconds() throws -> Int {
            let settings = try store.readingIfPresent()?.read { try $0.settings() } ?? TimerSettings()
            return settings.preCountdownSeconds
        }

        /// Moments end with the year 9999.
        private func requireCalendarTime(_ timeline: Timeline, _ start: Timestamp?) throws(CommandFailure) {
            guard let start, start.adding(seconds: timeline.total).seconds != start.seconds + timeline.total else {
                return
            }
            throw CommandFailure(
                .usage,
                "\"\(timeline.name)\" would end after the year 9999; choose an earlier --start"
            )
        }

        private func calendar(_ timeline: Timeline, _ start: Timestamp?) throws(CommandFailure) -> [UInt8] {
            guard let start, !timeline.entries.isEmpty else {
                throw CommandFailure(.badData, "\"\(timeline.name)\" has nothing to run, and a calendar needs an event")
            }
            let generator = "bzpack \(SatchelVersion.current)"
            return TimelineCalendar.encode(timeline, start: start, stamp: try clock.moment(), generator: generator)
        }
    }
}
