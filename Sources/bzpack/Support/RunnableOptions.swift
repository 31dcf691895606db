internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

/// The session or preset that a command is about: of the store, or of a file.
struct RunnableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take it from this file, of sessions or presets or a Zwift workout; - is the standard input.",
            valueName: "file"
        ),
        completion: .file(extensions: ["bztimer", "json", "plist", "zwo"])
    )
    var file: String?

    @Argument(
        help: ArgumentHelp("The session or preset; may be left out where there is only one.", valueName: "name|id"),
        completion: .sessions
    )
    var name: String?

    /// Finds it.
    ///
    /// - Returns: The session or preset, and `findings` where the file has warnings.
    func find(in store: StoreOption) throws -> (found: Runnable, status: ExitStatus) {
        guard let file else {
            let all = try store.reading().read { try Runnable.all($0) }
            return (try Runnable.choose(name, among: all, in: "the store"), .success)
        }
        let (all, status) = try Runnable.all(in: file)
        return (try Runnable.choose(name, among: all, in: "the file"), status)
    }
}

extension StoreOption {
    /// Returns the settings of the store, or where there is none the app's defaults.
    func timerSettings() throws -> TimerSettings {
        try readingIfPresent()?.read { try $0.settings() } ?? TimerSettings()
    }
}
