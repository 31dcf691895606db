internal import FileSystem
internal import RecordStore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Finds the store that a command works on.
package enum StoreArgument {
    /// Returns the path of a store: the one that was given, else the default one.
    ///
    /// - Parameters:
    ///   - given: What the person named, nil where nothing was.
    ///   - option: The option with which a store is named.
    ///   - name: The file of the default store.
    /// - Throws: 64 where an empty path was given, or neither `XDG_DATA_HOME` nor `HOME` is set.
    package static func path(_ given: String?, option: String, default name: String) throws(CommandFailure) -> String {
        if let given {
            guard !given.isEmpty else { throw CommandFailure(.usage, "\(option) needs a path") }
            StandardError.detail("the store is \(given), which \(option) names")
            return given
        }
        guard let path = StoreLocation.path(of: name, environment: ProcessInfo.processInfo.environment) else {
            throw CommandFailure(.usage, "neither XDG_DATA_HOME nor HOME is set: name the file with \(option)")
        }
        StandardError.detail("the store is \(path), the usual place, as \(option) names none")
        return path
    }

    /// The option `--store` as it was given, for commands that messages suggest; empty where none was.
    package static var repeated: String {
        let arguments = Program.arguments
        // --db is its name in version 0.1 of slate-backup.
        for option in ["--store", "--db"] {
            let named = arguments.firstIndex(of: option).map { arguments.dropFirst($0 + 1).first ?? "" }
            let joined = arguments.first { $0.hasPrefix("\(option)=") }.map { String($0.dropFirst(option.count + 1)) }
            if let path = named ?? joined { return " --store \(ShellText.quoted(path))" }
        }
        return ""
    }
}
