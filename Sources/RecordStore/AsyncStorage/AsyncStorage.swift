internal import FileSystem
public import StrictJSON

/// The content of a React Native app's AsyncStorage in a phone's files, read without changing them.
///
/// ```swift
/// let storage = try AsyncStorage(reading: "RKStorage", keys: BztimerStorageKey.allNames)
/// let reading = BztimerStorageReading(storage.values, of: storage.path)
/// ```
public struct AsyncStorage: Sendable {
    /// The layout of the storage in files.
    public enum Layout: String, Sendable, Hashable, CaseIterable {
        /// Android: a SQLite database with the table `catalystLocalStorage`.
        case catalystLocalStorage
        /// Android, newer: a SQLite database with the table `Storage`.
        case storage = "Storage"
        /// iOS: a folder with `manifest.json` and a file for each long value.
        case folder
    }

    /// The most bytes of a value, or of an iOS manifest: 256 MiB.
    public static let largestValue = 1 << 28
    /// The most bytes of a database with its journal: 1 GiB.
    public static let largestDatabase = 1 << 30
    /// The most keys.
    public static let mostKeys = 1_000_000

    /// The storage as the person named it.
    public let path: String
    /// The layout of the storage in files.
    public let layout: Layout
    /// The values of the requested keys.
    public internal(set) var values: [String: StoredValue] = [:]
    /// The number of other keys.
    public internal(set) var otherKeys = 0
    /// The damage for which keys may be missing.
    public internal(set) var diagnostics: [Diagnostic] = []

    package init(path: String, layout: Layout) {
        self.path = path
        self.layout = layout
    }

    /// Reads a storage: a database or a folder, recognised by its content.
    ///
    /// Reading changes no file. It reads a copy of a database, as SQLite would apply a journal or make files for a
    /// write-ahead log.
    ///
    /// - Parameters:
    ///   - path: An Android database, or the iOS folder or the one that holds it.
    ///   - keys: The keys whose values to read.
    /// - Throws: `store.not-found` where the path does not exist, `storage.unrecognized` where it is not a storage,
    ///   `storage.unreadable`, `storage.limit`, `store.not-a-database`, `store.corrupt`, `store.io`.
    public init(reading path: String, keys: Set<String>) throws(StoreError) {
        guard StorePath.exists(path) else { throw StoreError(.notFound, "there is no file or folder", path: path) }
        if Files.isFolder(path) {
            self = try AsyncStorageFolder(path: path).read(keys)
        } else {
            self = try AsyncStorageDatabase(path: path).read(keys)
        }
    }

    /// Adds a value; the first of a key counts.
    package mutating func add(_ value: StoredValue, for key: String) {
        guard values[key] != nil else {
            values[key] = value
            return
        }
        report("storage.several-names", "the key \"\(key)\" is there more than once; the first is used")
    }

    /// Adds the values of another table for missing keys, as an app may have been interrupted while it moved them.
    package mutating func addMissing(of other: AsyncStorage) {
        let missing = other.values.keys.filter { values[$0] == nil || values[$0] == .null }.sorted()
        for key in missing { values[key] = other.values[key] }
        let taken = missing.isEmpty ? "" : ", and the other for \(missing.joined(separator: ", "))"
        let message = "the database also has the table \(other.layout.rawValue); \(layout.rawValue) is used\(taken)"
        report("storage.several-names", message)
        diagnostics += other.diagnostics
    }

    /// Reports a fault for which keys may be missing, or values wrong.
    package mutating func report(_ code: String, _ message: String, position: TextPosition? = nil, file: String? = nil)
    {
        diagnostics.append(
            Diagnostic(.warning, code: code, message: message, file: file ?? path, position: position)
        )
    }
}
