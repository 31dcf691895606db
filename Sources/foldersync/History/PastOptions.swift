internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import DirectorySync

/// The option `--at`, and the one store that it is about.
struct PastOptions: ParsableArguments {
    @OptionGroup var options: TargetOptions

    @Option(help: ArgumentHelp("The moment, as RFC 3339 has it.", valueName: "time"), transform: Timestamp.argument)
    var at: Timestamp

    /// The moment in milliseconds since 1970; of a whole second, as `log` prints it, its end.
    var milliseconds: Int { at.seconds * 1_000 + (at.nanoseconds == 0 ? 999 : at.nanoseconds / 1_000_000) }

    /// The store's replica.
    func open(now: Timestamp? = nil) throws -> (target: Target, replica: Replica) {
        let registry = try options.config.file().read()
        let target = try options.only()
        let environment = try ThisDevice.environment(registry, now: now)
        return (target, try Replica(folder: target.folder.path, store: target.store.path, environment))
    }
}
