internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The option `--config`, and what is kept in the file that it names.
struct ConfigOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Use this file for what this device has joined.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var config: String?

    /// Returns the file of the registry.
    ///
    /// - Throws: 64 where nothing tells where it lies.
    func file() throws(CommandFailure) -> RegistryFile { try Self.file(config) }

    /// Returns the file of the registry, by the option's value.
    ///
    /// - Throws: 64 where nothing tells where it lies.
    static func file(_ given: String?) throws(CommandFailure) -> RegistryFile {
        let file = try file(given, environment: ProcessInfo.processInfo.environment)
        ThisDevice.use(KeyStore(file))
        StandardError.detail(Messages.keptIn(file.path))
        return file
    }

    /// Returns the file where no option names one.
    ///
    /// - Throws: 64 where nothing tells where it lies.
    static func usual() throws(CommandFailure) -> RegistryFile {
        let file = try file(nil, environment: ProcessInfo.processInfo.environment)
        ThisDevice.use(KeyStore(file))
        return file
    }

    static func file(
        _ given: String?,
        environment: @autoclosure () -> [String: String]
    ) throws(CommandFailure) -> RegistryFile {
        if let given {
            guard !given.isEmpty else { throw CommandFailure(.usage, Messages.noConfigFile) }
            return RegistryFile(path: ResolvedPath(given).text)
        }
        let environment = environment()
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

extension KeyStore {
    /// Makes the store of the keys beside the list of joined folders: `foldersync.json` has `foldersync-keys`.
    init(_ file: RegistryFile) {
        let ending = ".json"
        let stem = file.path.hasSuffix(ending) ? String(file.path.dropLast(ending.count)) : file.path
        self.init(folder: "\(stem)-keys", vault: SystemKeyring())
    }
}
