internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import DirectorySync

/// The option `--at`, and the one store that it is about.
struct PastOptions: ParsableArguments {
    @OptionGroup var options: TargetOptions

    @OptionGroup var zone: TimeZoneOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The moment, such as \"yesterday 14:30\" or -2h.", valueName: "time"),
        transform: TimeExpression.moment
    )
    var at: TimeExpression

    /// The moment that `--at` names.
    ///
    /// - Parameters:
    ///   - now: The option `--now`, where the command has it.
    ///   - output: Where the moment is shown as it was understood.
    func moment(now: NowOption? = nil, echo output: OutputFormat) throws(CommandFailure) -> PastMoment {
        let clock = try zone.clock()
        let present = if let now { try now.moment(in: clock) } else { NowOption.present }
        return PastMoment(moment: try at.moment(for: "--at", now: present, clock: clock, echo: output))
    }

    /// The store's replica.
    func open(now: Timestamp? = nil) throws -> (target: Target, replica: Replica) {
        let registry = try options.config.file().read()
        let target = try options.only()
        let environment = try ThisDevice.environment(registry, now: now)
        return (target, try Replica(folder: target.folder.path, store: target.store.path, environment))
    }
}

/// A moment of the past.
struct PastMoment: CustomStringConvertible {
    let moment: Timestamp

    /// The moment in milliseconds since 1970; of a whole second, as `log` prints it, its end.
    var milliseconds: Int {
        moment.seconds * 1_000 + (moment.nanoseconds == 0 ? 999 : moment.nanoseconds / 1_000_000)
    }

    var description: String { moment.description }
}
