internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync

/// The argument `DIR` of commands that work on what was joined.
struct FolderArgument: ParsableArguments {
    @Argument(help: "The shared folder; by default all that this device has joined.", completion: .directory)
    var folder: String?

    /// Returns the folders that are meant.
    ///
    /// - Throws: 66 where the folder was not joined, or none was.
    func folders(of registry: Registry) throws(CommandFailure) -> [JoinedFolder] {
        try registry.folders(named: folder)
    }
}

extension Registry {
    /// Returns the folder of that name, or all where none is named.
    ///
    /// - Throws: 66 where it was not joined, or none was.
    func folders(named path: String?) throws(CommandFailure) -> [JoinedFolder] {
        guard !folders.isEmpty else { throw none }
        guard let path else { return folders }
        return [try joined(path)]
    }

    /// Returns the folders, and the record where one is named: of two words the first is the folder, one is either.
    ///
    /// - Throws: 64 for more words; else what ``folders(named:)`` throws.
    func foldersAndRecord(
        _ words: [String]
    ) throws(CommandFailure) -> (folders: [JoinedFolder], record: String?) {
        guard words.count <= 2 else {
            throw CommandFailure(.usage, Messages.tooManyWords(words.count))
        }
        if words.count == 2 { return (try folders(named: words[0]), words[1]) }
        if let word = words.first, let joined = try? joined(word) { return ([joined], nil) }
        return (try folders(named: nil), words.first)
    }

    /// The failure where nothing was joined.
    var none: CommandFailure {
        CommandFailure(.noInput, Messages.nothingJoined)
    }

    /// Returns the one folder that is meant.
    ///
    /// - Throws: 64 where several were joined and none was named; else what ``folders(named:)`` throws.
    func onlyFolder(named path: String?) throws(CommandFailure) -> JoinedFolder {
        let folders = try folders(named: path)
        guard let only = folders.first, folders.count == 1 else {
            let names = folders.map(\.path).joined(separator: ", ")
            throw CommandFailure(.usage, Messages.severalFolders(folders.count, names))
        }
        return only
    }

    /// Returns the folder at a path as a person writes it.
    ///
    /// - Throws: 66 where it was not joined; says so where it was moved.
    func joined(_ path: String) throws(CommandFailure) -> JoinedFolder {
        let resolved = ResolvedPath(path)
        if let found = folders.first(where: { ResolvedPath($0.path).isSame(as: resolved) }) { return found }
        guard !folders.isEmpty else { throw none }
        let known = folders.map(\.path).joined(separator: ", ")
        throw CommandFailure(
            .noInput,
            Messages.notJoined(path, known: known)
        )
    }
}
