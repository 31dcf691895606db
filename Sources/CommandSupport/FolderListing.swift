#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The files in a folder, as they were when it was read.
public struct FolderListing: Sendable {
    /// Something in the folder.
    public struct File: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Its size in bytes.
        public let size: Int
        /// Whether it is an ordinary file: no folder, link or device.
        public let isOrdinary: Bool
    }

    /// The folder as the person named it.
    public let path: String
    /// What is in it, in the order of the names; what has no name in UTF-8 is left out.
    public let files: [File]

    /// Reads a folder.
    ///
    /// - Throws: 66 where there is none or it cannot be read.
    public init(_ path: String) throws(CommandFailure) {
        self.path = path
        guard let stream = opendir(path) else {
            throw CommandFailure(.noInput, "cannot read the folder \(path): \(SystemError.last.reason)")
        }
        defer { closedir(stream) }
        var files: [File] = []
        while let name = Self.nextName(stream) {
            var status = stat()
            guard name != ".", name != "..", lstat(Self.join(path, name), &status) == 0 else { continue }
            files.append(
                File(name: name, size: Int(status.st_size), isOrdinary: status.st_mode & S_IFMT == S_IFREG)
            )
        }
        self.files = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The path of a file in the folder.
    public func path(of name: String) -> String { Self.join(path, name) }

    /// Removes ordinary files one after the other, and forces the folder to the disk.
    ///
    /// - Throws: 74 for the first that cannot be removed; those before it are gone.
    public func remove(_ names: [String]) throws(CommandFailure) {
        var count = 0
        for name in names {
            guard unlink(path(of: name)) == 0 else {
                let before = "\(Words.count(count, "file")) before it \(count == 1 ? "was" : "were") removed"
                throw CommandFailure(
                    .inputOutput,
                    "cannot remove \(path(of: name)): \(SystemError.last.reason); \(before)"
                )
            }
            count += 1
        }
        try PendingFile.synchronise(folder: path, for: path)
    }

    /// Makes a folder where there is none.
    ///
    /// - Throws: 73 where it cannot be made, or something else has its name.
    public static func make(_ path: String) throws(CommandFailure) {
        guard !isFolder(path), mkdir(path, 0o777) != 0 else { return }
        throw CommandFailure(.cannotCreate, "cannot make the folder \(path): \(SystemError.last.reason)")
    }

    /// Whether there is a folder at a path.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The next entry's name, nil at the end.
    static func nextName(_ stream: OpaquePointer) -> String? {
        guard let entry = readdir(stream) else { return nil }
        return withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                String(cString: $0)
            }
        }
    }
}
