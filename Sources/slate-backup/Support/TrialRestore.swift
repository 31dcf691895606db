internal import CivilTime
internal import CommandSupport
internal import RecordStore
internal import Slate
internal import StrictJSON

/// A restoration into a database of its own, and what came back from there.
struct TrialRestore {
    /// The fault; nil where there is none.
    let fault: String?
    /// The rows that were restored.
    let rows: Int
    /// The bytes that were compared.
    let byteCount: Int

    /// Restores content into a new database in a temporary folder, exports it and compares each byte.
    ///
    /// - Throws: 73 and 74 where there is no room for that.
    init(_ content: SlateContent) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let purpose = SlateDatabase.Purpose.writing(mustExist: false, upgrading: false)
        let database = try SlateDatabase(path: folder.database("slate.db"), for: purpose)
        rows = content.count
        do {
            let today = CivilDay(number: 0)
            _ = try database.importing(content, SlateImportOptions(today: today, moment: Timestamp(seconds: 0)))
            let expected = try content.encodedAsStored()
            let comparison = Comparison(expected)
            let export = try database.export(exportedAt: content.exportedAt, to: { comparison.take($0) })
            byteCount = expected.count
            if let place = comparison.difference {
                fault = Messages.differsFrom(place)
            } else if export.counts.values.reduce(0, +) != rows {
                fault = Messages.cameBack(export.counts.values.reduce(0, +), of: rows)
            } else {
                fault = nil
            }
        } catch let error as StoreError where error.code != .inputOutput {
            byteCount = 0
            fault = Messages.notRestorable(error.message)
        }
    }
}

/// Holds pieces against what they should be together.
private final class Comparison {
    private let expected: [UInt8]
    private var position = 0
    private var found: Int?

    init(_ expected: [UInt8]) { self.expected = expected }

    /// The first byte that differs, nil where all are the same.
    var difference: Int? { found ?? (position == expected.count ? nil : position) }

    func take(_ piece: UnsafeRawBufferPointer) {
        guard found == nil else { return }
        let end = position + piece.count
        if end <= expected.count, expected[position..<end].elementsEqual(piece) {
            position = end
        } else {
            found = position + zip(expected[position...], piece).prefix { $0 == $1 }.count
        }
    }
}
