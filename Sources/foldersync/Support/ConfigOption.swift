internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import Foundation

/// The option `--config`, and what is kept in the file that it names.
struct ConfigOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Use this file for what this device has joined.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var config: String?

    /// The file of the registry.
    ///
    /// - Throws: 64 where nothing tells where it lies.
    func file() throws(CommandFailure) -> RegistryFile {
        let file = try Self.file(config, environment: ProcessInfo.processInfo.environment)
        StandardError.detail(Messages.keptIn(file.path))
        return file
    }

    /// The file where no option names one.
    ///
    /// - Throws: 64 where nothing tells where it lies.
    static func usual() throws(CommandFailure) -> RegistryFile {
        try file(nil, environment: ProcessInfo.processInfo.environment)
    }

    static func file(_ given: String?, environment: [String: String]) throws(CommandFailure) -> RegistryFile {
        if let given {
            guard !given.isEmpty else { throw CommandFailure(.usage, Messages.noConfigFile) }
            return RegistryFile(path: ResolvedPath(given).text)
        }
        if let path = environment["SATCHEL_FOLDERSYNC"], !path.isEmpty {
            return RegistryFile(path: ResolvedPath(path).text)
        }
        // A relative path is no valid one, as the XDG specification has it.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return RegistryFile(path: "\(state)/satchel/foldersync.json")
        }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw CommandFailure(.usage, Messages.noHome)
        }
        return RegistryFile(path: "\(home)/.local/state/satchel/foldersync.json")
    }
}
