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
    func keeping(_ old: OutputFile, _ counts: [(table: String, rows: Int)], _ export: CheckedExport) -> Diagnostic? {
        if let shrunk = SlateShrink.warning(previous: counts, current: export.held) {
            let message = Messages.shrunk("\(shrunk)")
            return Diagnostic(.warning, code: "slate.shrunk", message: message, file: old.path)
        }
        guard case .folder = self, SlateShrink.isSmaller(export.held, than: counts) else { return nil }
        let message = Messages.shrunk(to: export.held.total, from: counts.total)
        return Diagnostic(.note, code: "slate.shrunk", message: message, file: old.path)
    }

    /// Returns warnings where another backup of the day, of either kind, or the newest older one holds far more.
    func shrinkage(_ export: CheckedExport, at place: OutputFile) throws -> [Diagnostic] {
        guard case .folder(let path) = self, let name = SlateFileName(exportedAt: export.exportedAt, kind: .json)
        else { return [] }
        let folder = try BackupFolder(path)
        let paths = { (isWanted: (CivilDay) -> Bool) in
            folder.backups.filter { isWanted($0.name.day) }.map { folder.path(of: $0.name) }.filter { $0 != place.path }
        }
        let ofDay = paths { $0 == name.day }.compactMap(Self.outline).max { $0.counts.total < $1.counts.total }
        let older = paths { $0 < name.day }.lazy.compactMap(Self.outline).first
        for other in [ofDay, older] {
            guard let other, let shrunk = SlateShrink.warning(previous: other.counts, current: export.held) else {
                continue
            }
            let message = Messages.shrunkBelow("\(shrunk)", other.path)
            return [Diagnostic(.warning, code: "slate.shrunk", message: message)]
        }
        return []
    }

    private static func outline(_ path: String) -> (path: String, counts: [(table: String, rows: Int)])? {
        BackupOutline.counts(of: path).map { (path, $0) }
    }
}
