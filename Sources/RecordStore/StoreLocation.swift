internal import FileSystem
internal import Synchronization

/// The default places of stores.
public enum StoreLocation {
    /// Returns the path of a store by the XDG rules: `$XDG_DATA_HOME/satchel/NAME`, by default
    /// `~/.local/share/satchel/NAME`.
    ///
    /// A relative `XDG_DATA_HOME` is invalid by the XDG specification and ignored.
    ///
    /// - Parameters:
    ///   - name: The file's name, for example `bztimer.db`.
    ///   - environment: The process's environment.
    /// - Returns: The path, or nil where neither variable is set.
    public static func path(of name: String, environment: [String: String]) -> String? {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/satchel/\(name)" }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/.local/share/satchel/\(name)"
    }

    /// Makes the folder of a store if it is missing, readable by its owner alone.
    ///
    /// - Throws: `store.cannot-open` where the folder cannot be created, or a file has its name.
    public static func createFolder(of path: String) throws(StoreError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in parts {
            folder += part
            do throws(FileError) {
                if try Files.makeFolder(folder, mode: 0o700) {
                    let made = folder
                    created.withLock { $0.append(made) }
                }
            } catch {
                guard Files.isFolder(folder) else {
                    throw StoreError(
                        .cannotOpen,
                        "the folder \(folder) cannot be created (\(error.reason))",
                        path: path
                    )
                }
            }
            guard Files.isFolder(folder) else {
                throw StoreError(.cannotOpen, "\(folder) is there and is no folder", path: path)
            }
            folder += "/"
        }
    }

    /// Removes the empty folders that this process made for a store: those around it, and those named after it.
    ///
    /// Other threads may just be filling others.
    package static func removeUnusedFolders(of path: String) {
        created.withLock { folders in
            let (own, others) = (folders.filter { belongs($0, to: path) }, folders.filter { !belongs($0, to: path) })
            for folder in own.reversed() { Files.removeFolder(folder) }
            folders = others
        }
    }

    private static func belongs(_ folder: String, to path: String) -> Bool {
        path.hasPrefix(folder + "/") || folder.hasPrefix(path + ".")
    }

    /// The folders that this process made, the outermost first.
    private static let created = Mutex<[String]>([])
}
