internal import CivilTime
internal import FileSystem
package import StrictJSON

/// A record of a backup or a store, as a search knows it.
package protocol SearchedRecord {
    /// The kind of the record: `task`.
    var kind: String { get }
    /// Identifies it among those of its kind.
    var id: String { get }
    /// Its name.
    var title: String { get }
    /// Its state in words.
    var state: String { get }
    /// The record for programs.
    var json: JSONValue { get }
    /// The record as compact JSON, by which versions are told apart.
    var text: [UInt8] { get }
    /// Returns whether the record has a text in its name or in what else is searched.
    func has(_ text: String) -> Bool
}

/// The versions of records that a search finds in a store and in backups.
package struct RecordSearch<Record: SearchedRecord> {
    /// A version of a record, and the files that have it.
    private struct Version {
        let record: Record
        var files: [(file: String, asOf: String?)]
    }

    private struct Key: Hashable {
        let kind: String
        let id: String
    }

    private let text: String
    /// The command that restores a record: `slate-backup restore FILE "TITLE"`.
    private let way: String
    private var order: [Key] = []
    private var versions: [Key: [Version]] = [:]
    /// The records of the store.
    private var current: Set<Key> = []

    /// Makes a search.
    ///
    /// - Parameters:
    ///   - text: What records have in them.
    ///   - way: How a record is brought back.
    package init(text: String, way: String) {
        self.text = text
        self.way = way
    }

    /// Takes the records of a file.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - file: The file.
    ///   - asOf: When it was as it is, RFC 3339; nil where nobody knows, and for the store.
    ///   - isStore: Whether it is the store.
    package mutating func add(_ records: [Record], of file: String, asOf: String?, isStore: Bool) {
        for record in records where record.has(text) {
            let key = Key(kind: record.kind, id: record.id)
            if isStore { current.insert(key) }
            if versions[key] == nil { order.append(key) }
            let place = (file, isStore ? nil : asOf)
            if let index = versions[key]?.firstIndex(where: { $0.record.text == record.text }) {
                versions[key]?[index].files.append(place)
            } else {
                versions[key, default: []].append(Version(record: record, files: [place]))
            }
        }
    }

    /// Returns the versions of a record, the one of the store first and then by their newest files.
    private func sorted(_ key: Key) -> [Version] {
        let versions = (versions[key] ?? []).map { version in
            var version = version
            version.files.sort { (Self.moment($0.asOf), $0.file) > (Self.moment($1.asOf), $1.file) }
            return version
        }
        return versions.sorted { Self.moment($0.files.first?.asOf) > Self.moment($1.files.first?.asOf) }
    }

    /// Returns the moment of a file; one without a moment is as it is now.
    private static func moment(_ text: String?) -> Timestamp {
        text.flatMap { Timestamp($0) } ?? Timestamp(seconds: Int.max)
    }

    /// A record that was found.
    package struct Result {
        /// The version of the store, or else of the newest file.
        package let record: Record
        /// True if the store has the record.
        package let isCurrent: Bool
        /// Its versions, the one of the store first and then by their newest files.
        package let versions: [(record: Record, files: [(file: String, asOf: String?)])]
    }

    /// The records that were found, in the order in which they were.
    package var results: [Result] {
        order.compactMap { key in
            let versions = sorted(key)
            guard let record = versions.first?.record else { return nil }
            return Result(
                record: record,
                isCurrent: current.contains(key),
                versions: versions.map { ($0.record, $0.files) }
            )
        }
    }

    /// Returns the result as text.
    ///
    /// - Parameter store: The store, nil where there is none.
    package func report(store: String?) -> String {
        guard !order.isEmpty else { return TerminalText.safe("Nothing has \"\(text)\" in it.") + "\n" }
        let names = Dictionary(grouping: order) { "\($0.kind) \(NameText.folded(title(of: $0)))" }
        let sections = order.map { key in
            let versions = sorted(key)
            let title = TerminalText.safe(title(of: key))
            var text = "\(key.kind) \"\(title)\""
            // Records of one name are told apart by their identifiers.
            let alike = names["\(key.kind) \(NameText.folded(self.title(of: key)))"] ?? []
            if alike.count > 1 { text += " (id \(TerminalText.safe(Self.shortest(key.id, among: alike.map(\.id)))))" }
            if let store, !current.contains(key) { text += ", which \(TerminalText.safe(store)) does not have" }
            var table = TextTable([.fixed("AS OF"), .left("STATE"), .left("FILE")])
            for version in versions {
                guard let file = version.files.first else { continue }
                let more = version.files.count - 1
                let also = more > 0 ? " and \(Words.count(more, "other file"))" : ""
                table.add([file.asOf ?? "now", version.record.state, file.file + also])
            }
            return text + ":\n" + table.render(indent: 2)
        }
        let hint = order.contains { !current.contains($0) } ? ProgramNames.asCalled("\nBring one back: \(way)\n") : ""
        return sections.joined(separator: "\n") + hint
    }

    private func title(of key: Key) -> String { sorted(key).first?.record.title ?? "" }

    /// Returns the beginning of an identifier that no other has, of eight characters or more.
    private static func shortest(_ id: String, among ids: [String]) -> String {
        let others = ids.filter { $0 != id }
        var length = 8
        while length < id.count, others.contains(where: { $0.hasPrefix(id.prefix(length)) }) { length += 1 }
        return id.count <= length ? id : "\(id.prefix(length))…"
    }

    /// Returns the result as JSON.
    ///
    /// - Parameters:
    ///   - skipped: What is to be said of files that were passed over.
    ///   - place: The member that says whether the store has a record.
    package func json(_ skipped: [Diagnostic], place: String = "inStore") -> JSONValue {
        [
            "records": .array(
                order.map { key in
                    let versions = sorted(key)
                    return [
                        "kind": .string(key.kind), "id": .string(key.id),
                        "title": .string(versions.first?.record.title ?? ""), place: .bool(current.contains(key)),
                        "versions": .array(versions.map(json)),
                    ]
                }
            ),
            "warnings": DiagnosticRenderer().json(skipped),
        ]
    }

    private func json(_ version: Version) -> JSONValue {
        [
            "title": .string(version.record.title),
            "state": .string(version.record.state),
            "record": version.record.json,
            "files": .array(
                version.files.map { ["file": .string($0.file), "asOf": $0.asOf.map { .string($0) } ?? .null] }
            ),
        ]
    }
}

/// The files that `find --in` names.
package struct SearchedFiles {
    /// The files, and the backups of the folders.
    package let files: [String]
    /// Those that were named one by one: these must be backups.
    package let chosen: Set<String>

    private static let endings = [
        ".json", ".slatebackup", ".bzpack", ".zip", ".gz", ".zst", ".xz", ".bz2", ".tar", ".tgz", ".db", ".age",
    ]

    /// Lists the files of some places.
    ///
    /// - Throws: 66 where a folder cannot be read.
    package init(_ places: [String]) throws(CommandFailure) {
        var files: [String] = []
        var chosen: Set<String> = []
        for place in places {
            guard FolderListing.isFolder(place) else {
                files.append(place)
                chosen.insert(place)
                continue
            }
            let listing = try FolderListing(place)
            for file in listing.files where file.isOrdinary && Self.isBackup(file.name) {
                files.append(listing.path(of: file.name))
            }
        }
        self.files = files
        self.chosen = chosen
    }

    /// Files that were listed already.
    package init(files: [String], chosen: Set<String>) {
        self.files = files
        self.chosen = chosen
    }

    private static func isBackup(_ name: String) -> Bool {
        !name.hasPrefix(".") && endings.contains { name.lowercased().hasSuffix($0) }
    }

    /// Returns what tells a file from others; nil for what is no file, such as a pipe.
    private static func identity(_ path: String) -> FileIdentity? {
        guard let status = try? FileStatus(path), status.kind == .file else { return nil }
        return status.identity
    }

    /// Looks into each file once, by whatever names it is there; one of a folder that is no backup is passed over.
    ///
    /// - Parameters:
    ///   - store: The store, which was looked into already; nil where there is none.
    ///   - code: The code of the warning about such a file.
    ///   - app: Whose backups are looked for.
    ///   - body: Looks into a file, which was chosen or is one of a folder.
    /// - Returns: What is to be said of files that were passed over.
    package func forEach(
        besides store: String?,
        code: String,
        app: String,
        _ body: (_ file: String, _ isChosen: Bool) throws -> Void
    ) throws -> [Diagnostic] {
        var skipped: [Diagnostic] = []
        var seen = Set([store.flatMap(Self.identity)].compactMap(\.self))
        let chosenOnes = Set(chosen.compactMap(Self.identity))
        for file in files {
            let identity = Self.identity(file)
            if let identity, !seen.insert(identity).inserted { continue }
            let isChosen = chosen.contains(file) || identity.map(chosenOnes.contains) ?? false
            do {
                try body(file, isChosen)
            } catch {
                guard !isChosen else { throw error }
                let failure = error as? CommandFailure ?? CommandFailure(library: error)
                let reason = failure?.diagnostics.first?.message ?? failure?.message ?? "the key is missing or wrong"
                let isLocked = failure?.status == .noKey
                let isNewer = failure?.diagnostics.contains(where: \.isOfNewerVersion) == true
                let message =
                    isLocked
                    ? "it is encrypted: \(reason); it was passed over"
                    : isNewer
                        ? "\(reason); it was passed over"
                        : "it cannot be read as a backup of \(app), so it was passed over"
                skipped.append(Diagnostic(.warning, code: code, message: message, file: file))
            }
        }
        return skipped
    }
}
