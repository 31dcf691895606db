internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension ExportTarget {
    /// Returns the warning about a backup that stays where the new one would take its name; nil where it may be
    /// replaced.
    ///
    /// In a folder it stays already where it has 20 rows more: a day on which rows go little by little would else leave
    /// only the last of its states.
    func keeping(
        _ old: OutputFile,
        _ counts: [(table: String, rows: Int)],
        _ export: CheckedExport,
        of store: String
    ) -> Diagnostic? {
        let held = BackupOutline.identity(of: old.path) ?? SlateIdentity()
        if held.isForeign(to: export.identity) { return Self.foreign(old.path, store) }
        if let shrunk = SlateShrink.warning(previous: counts, current: export.held) {
            let message = Messages.shrunk("\(shrunk)")
            return Diagnostic(.warning, code: "slate.shrunk", message: message, file: old.path)
        }
        // A database that was just made may be another one, whose first backup this would be.
        let isEmptied = export.identity.isEmpty && !held.isEmpty
        guard case .folder = self, isEmptied || SlateShrink.isSmaller(export.held, than: counts) else { return nil }
        let message = Messages.shrunk(to: export.held.total, from: counts.total)
        return Diagnostic(.note, code: "slate.shrunk", message: message, file: old.path)
    }

    /// Returns warnings where another backup of the day, of either kind, or the newest older one holds far more, or where
    /// the newest is of another database.
    ///
    /// - Parameter saysOther: Whether a warning about another database was given already.
    func shrinkage(
        _ export: CheckedExport,
        at place: OutputFile,
        of store: String,
        saysOther: Bool
    ) throws -> [Diagnostic] {
        guard case .folder(let path) = self, let name = SlateFileName(exportedAt: export.exportedAt, kind: .json)
        else { return [] }
        let folder = try BackupFolder(path)
        let others = folder.backups.filter { $0.name.day <= name.day && folder.path(of: $0.name) != place.path }
        let isForeign = { path in BackupOutline.identity(of: path).map(export.identity.isForeign) ?? false }
        var warnings: [Diagnostic] = []
        if !saysOther, let newest = others.first.map({ folder.path(of: $0.name) }), isForeign(newest) {
            warnings.append(Self.foreign(newest, store))
        }
        let outline = { (backup: BackupFolder.Backup) in
            let path = folder.path(of: backup.name)
            return BackupOutline.counts(of: path).flatMap { isForeign(path) ? nil : (path: path, counts: $0) }
        }
        let ofDay = others.filter { $0.name.day == name.day }.compactMap(outline)
            .max { $0.counts.total < $1.counts.total }
        let older = others.filter { $0.name.day < name.day }.lazy.compactMap(outline).first
        for other in [ofDay, older] {
            guard let other, let shrunk = SlateShrink.warning(previous: other.counts, current: export.held) else {
                continue
            }
            let message = Messages.shrunkBelow("\(shrunk)", other.path)
            return warnings + [Diagnostic(.warning, code: "slate.shrunk", message: message)]
        }
        return warnings
    }

    /// Returns the warning about a backup of another database.
    private static func foreign(_ path: String, _ store: String) -> Diagnostic {
        let other = try? BackupNotes()?.store(ofBackup: path, otherThan: store)
        let message = Messages.otherDatabase(store, other: other)
        return Diagnostic(.warning, code: "slate.other-database", message: message, file: path)
    }
}
