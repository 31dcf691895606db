internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

/// The versions of records that a search finds.
struct RecordSearch {
    /// A version of a record, and the files that have it.
    private struct Version {
        let record: FoundRecord
        var files: [(file: String, asOf: String?)]
    }

    private struct Key: Hashable {
        let table: SlateTable
        let id: String
    }

    private let text: String
    private var order: [Key] = []
    private var versions: [Key: [Version]] = [:]
    /// What the database has.
    private var current: [Key: [UInt8]] = [:]

    init(text: String) { self.text = text }

    /// Takes what a file has.
    mutating func add(_ source: RecordSource, isDatabase: Bool) throws {
        for record in try source.found() where record.has(text) {
            let key = Key(table: record.table, id: record.id)
            if isDatabase { current[key] = record.text }
            if versions[key] == nil { order.append(key) }
            let place = (source.file, isDatabase ? nil : source.asOf)
            if let index = versions[key]?.firstIndex(where: { $0.record.text == record.text }) {
                versions[key]?[index].files.append(place)
            } else {
                versions[key, default: []].append(Version(record: record, files: [place]))
            }
        }
    }

    /// The versions of a record, the one of the database first and then by their newest files.
    private func sorted(_ key: Key) -> [Version] {
        let versions = (versions[key] ?? []).map { version in
            var version = version
            version.files.sort { (Self.moment($0.asOf), $0.file) > (Self.moment($1.asOf), $1.file) }
            return version
        }
        return versions.sorted { Self.moment($0.files.first?.asOf) > Self.moment($1.files.first?.asOf) }
    }

    /// The moment of a file; what has none is as it is now.
    private static func moment(_ text: String?) -> Timestamp {
        text.flatMap { Timestamp($0) } ?? Timestamp(seconds: Int.max)
    }

    /// - Parameter database: The database, nil where there is none.
    func report(database: String?) -> String {
        guard !order.isEmpty else { return TerminalText.safe("Nothing has \"\(text)\" in it.") + "\n" }
        let sections = order.map { key in
            let versions = sorted(key)
            let title = TerminalText.safe(versions.first?.record.title ?? "")
            var text = "\(key.table.noun) \"\(title)\""
            if let database, current[key] == nil { text += ", which \(TerminalText.safe(database)) does not have" }
            var table = TextTable([.left("AS OF"), .left("STATE"), .left("FILE")])
            for version in versions {
                guard let file = version.files.first else { continue }
                let more = version.files.count - 1
                let also = more > 0 ? " and \(Words.count(more, "other file"))" : ""
                table.add([file.asOf ?? "now", version.record.state, file.file + also])
            }
            return text + ":\n" + table.render().split(separator: "\n").map { "  \($0)\n" }.joined()
        }
        let hint =
            order.contains { current[$0] == nil } ? "\nBring one back: slate-backup restore FILE \"TITLE\"\n" : ""
        return sections.joined(separator: "\n") + hint
    }

    func json(_ skipped: [Diagnostic]) -> JSONValue {
        [
            "records": .array(
                order.map { key in
                    let versions = sorted(key)
                    return [
                        "kind": .string(key.table.noun), "id": .string(key.id),
                        "title": .string(versions.first?.record.title ?? ""), "inDatabase": .bool(current[key] != nil),
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
            "record": .object(version.record.row),
            "files": .array(
                version.files.map { ["file": .string($0.file), "asOf": $0.asOf.map { .string($0) } ?? .null] }
            ),
        ]
    }
}
