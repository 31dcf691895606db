package import CivilTime
internal import FileSystem
package import StrictJSON

/// The last good backup of a store, and what is wrong with it.
package struct BackupHealth: Sendable {
    /// A backup that was good and cannot be used now.
    package struct Lost: Sendable {
        /// The backup.
        package let note: BackupNote
        /// The reason why it cannot be used.
        package let reason: String
    }

    /// The newest backup that is as it was when it was checked; nil where there is none.
    package let good: BackupNote?
    /// The newer ones that are not.
    package let lost: [Lost]
    /// The age of the good one, in seconds.
    package let age: Int?

    /// A backup that is older is worth a warning: a week, in seconds.
    private static let longest = 7 * 86_400

    /// Looks at the files.
    ///
    /// - Parameters:
    ///   - backups: What is known.
    ///   - now: The present moment.
    ///   - isThorough: Whether their bytes are read, not only their sizes.
    package init(_ backups: StoreBackups, now: Timestamp, isThorough: Bool) {
        var lost: [Lost] = []
        var good: BackupNote?
        for note in backups.backups {
            // A clock may be some hours wrong; what is later by more tells nothing of today.
            let isAhead = note.moment.seconds > now.seconds + 86_400
            let reason =
                isAhead
                ? "is dated in the future, at \(note.createdAt), and does not count"
                : note.fault(isThorough: isThorough)
            guard let reason else {
                good = note
                break
            }
            lost.append(Lost(note: note, reason: reason))
        }
        self.good = good
        self.lost = lost
        age = good.map { max(0, now.seconds - $0.moment.seconds) }
    }

    /// True if the good one is older than a week.
    package var isOld: Bool { age.map { $0 > Self.longest } ?? false }

    /// True if there is a good one that is not old, and no newer one was lost.
    package var isFine: Bool { good != nil && !isOld && lost.isEmpty }

    /// The age in words: `3 days ago`.
    package var ageWords: String { age.map(Self.words) ?? "never" }

    /// The finding in one line.
    package var line: String {
        let last = good.map { "\(ageWords), \(Words.count($0.records, "record")), \($0.file)" } ?? "none"
        guard let first = lost.first else { return last }
        return "\(last); \(first.note.file) \(first.reason)"
    }

    /// Returns the result of the check, for `doctor`.
    ///
    /// - Parameter command: The command that makes a backup.
    package func check(_ title: String, command: String) -> HealthCheck {
        HealthCheck("\(title), last good backup", line, advice: isFine ? nil : "make a new one: \(command)")
    }

    /// The result for programs.
    package var json: JSONValue {
        var good = good?.json.object
        good?["ageSeconds"] = age.map { .number($0) }
        return [
            "good": good.map { .object($0) } ?? .null, "isOld": .bool(isOld),
            "lost": .array(
                lost.map { ["file": .string($0.note.file), "reason": .string($0.reason)] }
            ),
        ]
    }

    private static func words(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "just now"
        case ..<7200: "\(seconds / 60) minutes ago"
        case ..<172_800: "\(seconds / 3600) hours ago"
        default: "\(seconds / 86_400) days ago"
        }
    }
}

extension BackupNote {
    /// The moment whose records it holds.
    package var moment: Timestamp { Timestamp(createdAt) ?? Timestamp(seconds: 0) }

    /// Returns why the backup cannot be used now; nil where it can.
    ///
    /// - Parameter isThorough: Whether its bytes are read, not only its size.
    package func fault(isThorough: Bool) -> String? {
        let status: FileStatus?
        do throws(FileError) {
            status = try FileStatus(file)
        } catch {
            return "cannot be looked at (\(error.reason))"
        }
        guard let status else { return "is not there any more" }
        guard status.kind == .file else { return "is no file any more" }
        guard !digest.isEmpty else { return "was found damaged" }
        guard status.size == size else { return "is not the file that was checked" }
        guard isThorough else { return nil }
        guard let found = BackupFileDigest(of: file) else { return "cannot be read any more" }
        return found.text == digest ? nil : "is not the file that was checked"
    }
}
