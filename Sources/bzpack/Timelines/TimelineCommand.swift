internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import GymPulse
internal import StrictJSON

extension Bzpack {
    struct TimelineCommand: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "timeline",
            abstract: "Show what a session or a preset does, second by second.",
            discussion: """
                A preset gets ready, then works and rests in each round of each set; a session runs its blocks in order. As \
                ical it is a calendar with an event for each phase or block, and needs --start. --at 3:20 says where one is \
                then. --cues lists what the app lets you hear: a preset beeps and says "Go" and "Rest", a session says that a \
                block is almost done and that it is over, as its settings have it.
                """
        )

        /// The forms in which the timeline is printed.
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

        @Option(
            help: ArgumentHelp("Say where one is at this time from the start, such as 3:20.", valueName: "m:ss"),
            transform: OffsetArgument.seconds
        )
        var at: Int?

        @Flag(help: "List what is heard, and when.")
        var cues = false

        @Flag(help: "Begin a session with the countdown that the store's settings name.")
        var countdown = false

        @OptionGroup var choice: RunnableOptions

        func validate() throws {
            if format == .ical, start == nil { throw ValidationError(Messages.calendarNeedsStart) }
            if at != nil || cues, format != .text, format != .json {
                throw ValidationError(Messages.positionForText)
            }
            if at != nil, cues { throw ValidationError(Messages.exclude("--at", "--cues")) }
        }

        func run() throws {
            let (found, status, _) = try choice.find(in: store)
            let settings = try store.timerSettings()
            let timeline = try found.timeline(preCountdownSeconds: countdown ? settings.preCountdownSeconds : 0)
            let localClock = try zone.clock()
            let start = try start?.moment(
                for: "--start",
                now: try clock.moment(in: localClock),
                clock: localClock,
                echo: format == .text ? .text : nil
            )
            try requireCalendarTime(timeline, start)
            var report = TimelineReport(timeline, start: start, localClock, cues: found.cues(timeline, settings))
            report.at = at
            switch format {
            case .text:
                try StandardOutput.shared.write(at == nil ? cues ? report.cueText : report.text : report.placeText)
            case .json: try StandardOutput.shared.write(report.json.encoded(.indented))
            case .csv: try StandardOutput.shared.write(TimelineTable.csv(timeline, start: start))
            case .ical: try StandardOutput.shared.write(try calendar(timeline, start))
            }
            if status != .success { throw status.exitCode }
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
                throw CommandFailure(.badData, Messages.noEvent(timeline.name))
            }
            let generator = "bzpack \(SatchelVersion.current)"
            return TimelineCalendar.encode(timeline, start: start, stamp: try clock.moment(), generator: generator)
        }
    }
}

/// A time from the start on the command line.
enum OffsetArgument {
    /// Returns the seconds of `200`, `3:20` or `1:03:20`.
    static func seconds(_ text: String) throws -> Int {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count <= 6 && $0.allSatisfy(\.isASCII) ? UInt32($0) : nil }
        guard (1...3).contains(parts.count), numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { throw ValidationError(Messages.badPosition) }
        return numbers.reduce(0) { $0 * 60 + Int($1) }
    }
}
