#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Where stores lie unless a person says otherwise.
public enum StoreLocation {
    /// The path of a store by the XDG rules: `$XDG_DATA_HOME/satchel/NAME`, by default `~/.local/share/satchel/NAME`.
    ///
    /// A relative `XDG_DATA_HOME` is no valid one and is not used, as the XDG specification has it.
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

    /// Makes the folder of a store, readable for its owner alone, where there is none.
    public static func createFolder(of path: String) throws(StoreError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in parts {
            folder += part
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST || isFolder(folder) else {
                throw StoreError(.cannotOpen, "the folder \(folder) cannot be created (\(reason(errno)))", path: path)
            }
            guard isFolder(folder) else {
                throw StoreError(.cannotOpen, "\(folder) is there and is no folder", path: path)
            }
            folder += "/"
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        let code = errno
        defer { errno = code }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func reason(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
