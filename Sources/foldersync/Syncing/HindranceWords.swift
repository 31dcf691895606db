internal import DirectorySync
internal import StrictJSON

/// What cannot be used yet, in words.
enum HindranceWords {
    static func line(_ hindrance: SyncHindrance) -> String {
        let device = hindrance.device.map { " of \(RecordWords.device($0))" } ?? ""
        if hindrance.kind == .unfit {
            guard let record = hindrance.record else { return hindrance.message }
            return "\(RecordWords.name(record))\(device) is held back: \(hindrance.message)"
        }
        if hindrance.kind == .tooLarge, let record = hindrance.record {
            return "\(RecordWords.name(record)) is too large to be synchronised: \(hindrance.message)"
        }
        if hindrance.kind == .unreadable, let record = hindrance.record {
            return "\(RecordWords.name(record)) cannot be read: \(hindrance.message)"
        }
        let file = hindrance.path.isEmpty ? "" : " (\(hindrance.path))"
        let what =
            switch hindrance.kind {
            case .missing: "a change\(device) waits"
            case .tooNew: "a change\(device) is held"
            case .damaged: "a file\(device) is damaged"
            case .notDownloaded: "a file\(device) is not downloaded"
            case .unshown: "a checkpoint\(device) waits"
            case .unfit: "a record\(device) is held back"
            case .unreadable: "a row cannot be read"
            case .tooLarge: "a record is too large to be synchronised"
            }
        return "\(what)\(file): \(hindrance.message)"
    }

    /// A line for each; of files of one kind the first twenty, and how many more there are.
    static func lines(_ hindrances: [SyncHindrance]) -> [String] {
        let most = 20
        var counts: [SyncHindrance.Kind: Int] = [:]
        var lines: [String] = []
        for hindrance in hindrances {
            if !hindrance.path.isEmpty {
                counts[hindrance.kind, default: 0] += 1
                if counts[hindrance.kind, default: 0] > most { continue }
            }
            lines.append(line(hindrance))
        }
        for (kind, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where count > most {
            lines.append("… and \(count - most) more files (\(kind.rawValue)): --format json lists all of them")
        }
        return lines
    }

    static func json(_ hindrance: SyncHindrance) -> JSONValue {
        [
            "kind": .string(hindrance.kind.rawValue),
            "path": .string(hindrance.path),
            "device": hindrance.device.map { .object($0.json) } ?? .null,
            "message": .string(hindrance.message),
            "record": hindrance.record.map { .object(RecordWords.json($0)) } ?? .null,
        ]
    }
}
