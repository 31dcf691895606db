internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// The option `--at`, and the time zone in which it is read and shown.
struct MomentOption: ParsableArguments {
    @OptionGroup var zone: TimeZoneOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The moment, such as \"yesterday 14:30\" or -2h.", valueName: "time"),
        transform: TimeExpression.moment
    )
    var at: TimeExpression

    /// Returns the moment that `--at` names.
    ///
    /// - Parameters:
    ///   - now: The option `--now`, where the command has it.
    ///   - output: Where the moment is shown as it was understood.
    func moment(now: NowOption? = nil, echo output: OutputFormat) throws(CommandFailure) -> PastMoment {
        let clock = try zone.clock()
        let present = if let now { try now.moment(in: clock) } else { NowOption.present }
        return PastMoment(
            moment: try at.moment(for: "--at", now: present, clock: clock, echo: output),
            clock: clock
        )
    }
}

/// A moment of the past, as a local clock shows it.
struct PastMoment: CustomStringConvertible {
    let moment: Timestamp
    let clock: LocalClock

    /// The moment in milliseconds since 1970; of a whole second, as `log` prints it, its end.
    var milliseconds: Int {
        moment.seconds * 1_000 + (moment.nanoseconds == 0 ? 999 : moment.nanoseconds / 1_000_000)
    }

    var description: String { clock.text(of: moment) }
}

extension PastMoment {
    /// Runs a body that reads the past; where the history does not reach back so far, says since when there is one.
    ///
    /// - Throws: 66 for a moment before the history begins; what `body` throws.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SyncError where error.code == .history {
            let start = error.historyStart.map { RecordWords.moment($0, clock) }
            var failure = CommandFailure(error)
            failure.diagnostics = failure.diagnostics.map { diagnostic in
                var diagnostic = diagnostic
                diagnostic.message = Messages.beforeHistory(description, start: start)
                return diagnostic
            }
            throw failure
        }
    }
}
