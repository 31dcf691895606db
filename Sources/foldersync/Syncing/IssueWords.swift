internal import DirectorySync
internal import StrictJSON

/// The issues of a sync, in words.
enum IssueWords {
    static func line(_ issue: SyncIssue) -> String {
        let device = issue.device.map { " of \(RecordWords.device($0))" } ?? ""
        if issue.kind == .rejected {
            guard let record = issue.record else { return issue.message }
            return "\(RecordWords.name(record))\(device) is rejected: \(issue.message)"
        }
        if issue.kind == .tooLarge, let record = issue.record {
            return "\(RecordWords.name(record)) is too large to sync: \(issue.message)"
        }
        if issue.kind == .unreadable, let record = issue.record {
            return "\(RecordWords.name(record)) cannot be read: \(issue.message)"
        }
        let file = issue.path.isEmpty ? "" : " (\(issue.path))"
        let what =
            switch issue.kind {
            case .missing: "a change\(device) waits"
            case .gone: "files\(device) are gone"
            case .tooNew: "a change\(device) is held"
            case .damaged: "a file\(device) is damaged"
            case .noKey: "a key is missing"
            case .notDownloaded: "a file\(device) is not downloaded"
            case .unshown: "a checkpoint\(device) waits"
            case .rejected: "a record\(device) is rejected"
            case .unreadable: "a row cannot be read"
            case .tooLarge: "a record is too large to sync"
            case .severalSpaces: "devices began apart"
            case .retired: "this device is retired"
            case .oldKey: "changes\(device) are not counted"
            case .twoKeys: "the folder has two keys"
            }
        return "\(what)\(file): \(issue.message)"
    }

    /// Returns a line for each issue; of files of one kind the first twenty, and the number of the others.
    static func lines(_ issues: [SyncIssue]) -> [String] {
        guard !issues.isEmpty else { return [] }
        let most = 20
        var counts: [SyncIssue.Kind: Int] = [:]
        var lines: [String] = []
        for issue in issues {
            if !issue.path.isEmpty {
                counts[issue.kind, default: 0] += 1
                if counts[issue.kind, default: 0] > most { continue }
            }
            lines.append(line(issue))
        }
        for (kind, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > most {
            lines.append("… and \(count - most) more files (\(kind.rawValue)): --format json lists all of them")
        }
        return lines
    }

    static func json(_ issue: SyncIssue) -> JSONValue {
        [
            "kind": .string(issue.kind.rawValue),
            "path": .string(issue.path),
            "device": issue.device.map { .object($0.json) } ?? .null,
            "message": .string(issue.message),
            "record": issue.record.map { .object(RecordWords.json($0)) } ?? .null,
        ]
    }
}
