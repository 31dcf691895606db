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
    /// - Returns: The session or preset, `findings` where the file has warnings, and whether nothing else has its name.
    func find(in store: StoreOption) throws -> (found: Runnable, status: ExitStatus, isAlone: Bool) {
        guard let file else {
            let all = try store.reading().read { try Runnable.all($0) }
            let found = try Runnable.choose(name, among: all, in: "the store")
            return (found, .success, found.isAlone(among: all))
        }
        let (all, status) = try Runnable.all(in: file)
        let found = try Runnable.choose(name, among: all, in: "the file")
        return (found, status, found.isAlone(among: all))
    }
}

extension Runnable {
    /// Tells whether no other session or preset has its name.
    fileprivate func isAlone(among all: [Runnable]) -> Bool {
        all.count { Categories.areSame($0.name, name) } == 1
    }
}

extension StoreOption {
    /// Returns the settings of the store, or where there is none the app's defaults.
    func timerSettings() throws -> TimerSettings {
        try readingIfPresent()?.read { try $0.settings() } ?? TimerSettings()
    }
}
