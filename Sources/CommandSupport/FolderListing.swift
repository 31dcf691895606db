internal import FileSystem

/// The files in a folder, as they were when it was read.
package struct FolderListing: Sendable {
    /// Something in the folder.
    package struct File: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// Its size in bytes.
        package let size: Int
        /// True if it is an ordinary file: no folder, link or device.
        package let isOrdinary: Bool
    }

    /// The folder as the person named it.
    package let path: String
    /// The files in the folder, in the order of their names; those whose name is not UTF-8 are left out.
    package let files: [File]

    /// Reads a folder.
    ///
    /// - Throws: 66 where there is none or it cannot be read.
    package init(_ path: String) throws(CommandFailure) {
        self.path = path
        let names: [String]
        do throws(FileError) {
            names = try Files.names(in: path).names
        } catch {
            throw CommandFailure(.noInput, "cannot read the folder \(path): \(error.reason)")
        }
        let files = names.compactMap { name in
            (try? FileStatus(Self.join(path, name), followsLinks: false))
                .map { File(name: name, size: $0.size, isOrdinary: $0.kind == .file) }
        }
        StandardError.detail("read the folder \(path), \(Words.count(files.count, "file"))")
        self.files = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the path of a file in the folder.
    package func path(of name: String) -> String { Self.join(path, name) }

    /// Removes ordinary files one after the other, and forces the folder to the disk.
    ///
    /// - Throws: 74 for the first that cannot be removed; those before it are gone.
    package func remove(_ names: [String]) throws(CommandFailure) {
        var count = 0
        for name in names {
            do throws(FileError) {
                try Files.remove(path(of: name))
            } catch {
                let before = "\(Words.count(count, "file")) before it \(count == 1 ? "was" : "were") removed"
                throw CommandFailure(.inputOutput, "cannot remove \(path(of: name)): \(error.reason); \(before)")
            }
            count += 1
        }
        do throws(FileError) {
            try Files.force(folder: path)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes a folder where there is none.
    ///
    /// - Throws: 73 where it cannot be made, or something else has its name.
    package static func make(_ path: String) throws(CommandFailure) {
        do throws(FileError) {
            try Files.makeFolder(path)
        } catch {
            throw CommandFailure(.cannotCreate, "cannot make the folder \(path): \(error.reason)")
        }
        guard isFolder(path) else {
            throw CommandFailure(.cannotCreate, "cannot make the folder \(path): file exists")
        }
    }

    /// Tells whether there is a folder at a path.
    package static func isFolder(_ path: String) -> Bool { Files.isFolder(path) }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
