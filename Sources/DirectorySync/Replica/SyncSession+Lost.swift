internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

/// Finds published changes that the folder lost.
extension SyncSession {
    /// The time after which a file that is not listed counts as gone, in milliseconds: a listing may lag behind.
    private static let graceTime = 3_600_000

    /// True if a listing has all files of the folder.
    ///
    /// A folder whose marker is not in it was not listed at all, and a file that is only a placeholder is not gone.
    private func isWhole(_ listing: DirectoryListing) -> Bool {
        !listing.spaces.current.isEmpty && listing.placeholders.isEmpty && listing.problems.isEmpty
    }

    /// The clock before which a change has to be in the folder, as the state's file has it.
    private var latestMissed: Int64 {
        let (moment, isOverflow) = replica.environment.now().subtractingReportingOverflow(Self.graceTime)
        return isOverflow ? 0 : Int64(clamping: HybridClock(milliseconds: moment).bits)
    }

    /// Returns an issue for each other device whose last change is in no file of the folder, though this device has it.
    ///
    /// It reads what all checkpoints have.
    func lostChangesOfOthers() throws -> [SyncIssue] {
        guard isWhole(listing), listing.checkpoints.allSatisfy(canOpen) else { return [] }
        let isLast = """
            clock < \(latestMissed)
                AND EXISTS (SELECT 1 FROM head WHERE writer = segment.branch AND sequence = segment.sequence)
                AND NOT EXISTS (SELECT 1 FROM fork WHERE writer = segment.branch OR branch = segment.branch)
            """
        return try replica.missingOfOthers(listing, state, where: isLast)
    }

    /// Returns whether a checkpoint is none of a newer program and no placeholder, so that what it has is known here.
    private func canOpen(_ checkpoint: ListedFile) -> Bool {
        do {
            _ = try replica.directory.checkpointHeader(of: checkpoint)
            return true
        } catch {
            // A damaged one holds nothing for anybody.
            return error.isDamage
        }
    }

    /// Returns an issue where no file of the folder holds changes that this device published.
    ///
    /// It goes by the names of the files alone, so that each sync can do it.
    func lostChanges() throws -> [SyncIssue] {
        guard try lost(from: listing) > 0 else { return [] }
        // The sync itself may have written the files since it listed them.
        let lost = try lost(from: directory.listing())
        guard lost > 0 else { return [] }
        let changes = lost == 1 ? "1 change" : "\(lost) changes"
        let message =
            "no file of the folder holds \(changes) that this device published; \"foldersync repair\" publishes"
            + " \(lost == 1 ? "it" : "them") again"
        return [SyncIssue(kind: .gone, path: "", device: replica.environment.device, message: message)]
    }

    /// Returns the number of this writer's published changes that no file of a listing holds.
    private func lost(from listing: DirectoryListing) throws -> Int {
        guard isWhole(listing), let writer = WriterID(try state.required(.writer)) else { return 0 }
        let sql = """
            SELECT sequence FROM segment WHERE writer = ?1 AND branch = ?1 AND is_own AND is_published AND state = 1
                AND clock < ?2 ORDER BY sequence DESC LIMIT 1
            """
        let arguments: StatementArguments = [writer.description, latestMissed]
        let covered = listing.checkpoints.filter { $0.writer == writer }.map(\.sequence).max() ?? 0
        guard let last = try Int.fetchOne(state.database, sql: sql, arguments: arguments), covered < last else {
            return 0
        }
        let files = (listing.segments + listing.packs + listing.doubtful).filter { $0.writer == writer }
        let single = Set(files.filter { $0.sequence == $0.last }.map(\.sequence))
        let packs = files.filter { $0.sequence < $0.last }
        return (covered + 1...last).count { number in
            !single.contains(number) && !packs.contains { ($0.sequence...$0.last).contains(number) }
        }
    }
}
