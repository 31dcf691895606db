internal import FileSystem
internal import RecordMerge
internal import SQLiteDatabase

/// Files of the folder that cannot be used: each is named, stops no other, and is not read again until it changes.
extension SyncSession {
    /// Reads a file: keeps all its content, or nothing.
    ///
    /// - Parameter isSilent: Whether to report no fault of the file.
    func reading(_ file: ListedFile, isSilent: Bool = false, _ body: () throws -> Void) throws {
        let stamp = stamp(of: file.path)
        let known = try state.quarantined(file.path)
        if let known, known.isStill(stamp) {
            if !isSilent { note(known.kind, known.message, file) }
            return
        }
        let time = FileFingerprint.now
        do {
            try state.transaction(body)
            if known != nil { try state.quarantined(file.path, nil) }
        } catch {
            guard let fault = FileFault(error) else { throw error }
            if fault.isGone { return }
            if !isSilent { note(fault.kind, fault.message, file) }
            guard fault.isLasting, let stamp else { return }
            try state.quarantined(
                file.path,
                QuarantinedFile(stamp: stamp, time: time, kind: fault.kind, message: fault.message)
            )
        }
    }

    /// Notes a quarantined file that seems unchanged.
    ///
    /// - Returns: Whether it is one.
    func noteQuarantined(_ file: ListedFile) throws -> Bool {
        guard let known = try state.quarantined(file.path), let stamp = stamp(of: file.path),
            stamp.text == known.stamp
        else { return false }
        note(known.kind, known.message, file)
        return true
    }

    func note(_ kind: SyncIssue.Kind, _ message: String, _ file: ListedFile) {
        let device = try? state.device(of: Dot(file.writer, file.sequence))
        outcome.issues.append(
            SyncIssue(kind: kind, path: directory.files.stored(file.path), device: device, message: message)
        )
    }

    /// Returns a fingerprint of a file and of this program; nil where there is no such file.
    private func stamp(of path: String) -> QuarantinedFile.Stamp? {
        directory.files.fingerprint(path).map { QuarantinedFile.Stamp(file: $0, program: replica.environment.program) }
    }

    /// Forgets quarantined files that are gone.
    func forgetQuarantined() throws {
        let paths = try state.quarantinedPaths()
        guard !paths.isEmpty else { return }
        let files = listing.segments + listing.packs + listing.checkpoints + listing.doubtful
        for path in paths.subtracting(files.map(\.path)) { try state.quarantined(path, nil) }
    }
}

/// A quarantined file, as it was when it was read.
struct QuarantinedFile {
    /// The fingerprint of the file and of the program.
    struct Stamp: Hashable {
        var file: FileFingerprint
        var program: String

        var text: String { "\(file) \(program)" }
    }

    var stamp: String
    var time: Int
    var kind: SyncIssue.Kind
    var message: String

    init(stamp: Stamp, time: Int, kind: SyncIssue.Kind, message: String) {
        self.stamp = stamp.text
        self.time = time
        self.kind = kind
        self.message = message
    }

    init(_ row: Row) {
        (stamp, time, message) = (row[0], row[1], row[3])
        kind = SyncIssue.Kind(rawValue: row[2]) ?? .damaged
    }

    /// Returns whether the file is unchanged, and was old enough for a change to show.
    func isStill(_ now: Stamp?) -> Bool {
        guard let now, now.text == stamp else { return false }
        return !now.file.isFresh(at: time)
    }
}

/// The fault of a file that an error means.
private struct FileFault {
    var kind = SyncIssue.Kind.damaged
    var message: String
    /// True if the same bytes will have the same fault.
    var isLasting = true
    var isGone = false

    /// Makes a fault; nil for an error that is not about the file.
    init?(_ error: any Error) {
        switch error {
        case let error as DirectoryError:
            message = error.message
            isGone = error.code == .gone
            isLasting = [.incomplete, .corrupt, .limit, .newer].contains(error.code)
            if error.code == .notDownloaded { kind = .notDownloaded }
            if error.code == .newer { kind = .tooNew }
            if error.code == .noKey { kind = .noKey }
        case let error as SegmentError:
            message = error.line > 0 ? "line \(error.line): \(error.message)" : error.message
            if case .corrupt = error.code { return }
            kind = .tooNew
        default: return nil
        }
    }
}

extension ReplicaState {
    /// Returns a quarantined file; nil for another file.
    func quarantined(_ path: String) throws -> QuarantinedFile? {
        let sql = "SELECT stamp, time, kind, message FROM set_aside WHERE path = ?"
        return try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [path]).map(QuarantinedFile.init)
    }

    fileprivate func quarantined(_ path: String, _ file: QuarantinedFile?) throws {
        guard let file else { return try execute("DELETE FROM set_aside WHERE path = ?", [path]) }
        try execute(
            "INSERT OR REPLACE INTO set_aside (path, stamp, time, kind, message) VALUES (?, ?, ?, ?, ?)",
            [path, file.stamp, file.time, file.kind.rawValue, file.message]
        )
    }

    fileprivate func quarantinedPaths() throws -> Set<String> {
        try Set(String.fetchAll(database.cachedStatement(sql: "SELECT path FROM set_aside")))
    }
}
