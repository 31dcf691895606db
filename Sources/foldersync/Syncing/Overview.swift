package import CommandSupport
internal import DirectorySync
internal import FileSystem
package import StrictJSON

extension SyncProgram {
    /// A joined folder in a few lines.
    package struct FolderOverview {
        package let lines: [String]
        /// Conflicts that wait for a decision.
        package let conflicts: Int
        /// True if something waits for a person or for the next sync.
        package let waits: Bool
        /// The command that opens the folder with a key that this device lacks; nil where it has all.
        package let unlocking: String?
        package let json: JSONValue
    }

    /// Numbers of records in words, the most numerous first: `5 tasks, 3 habits`.
    package static func words(_ counts: [(collection: String, count: Int)]) -> String {
        let most = counts.sorted { ($1.count, $0.collection) < ($0.count, $1.collection) }
        return most.map { Words.count($0.count, RecordWords.noun($0.collection)) }.joined(separator: ", ")
    }

    /// Returns an overview of all joined folders.
    package static func overview(isThorough: Bool = true) throws -> [FolderOverview] {
        let file = try ConfigOption.usual()
        let registry = try file.read()
        guard registry.device != nil else { return [] }
        let environment = try ThisDevice.environment(registry)
        return try registry.folders.map { folder in
            let results = try TargetResults(folder.targets) { target in
                let replica = try Replica(folder: folder.path, store: target.store.path, environment)
                return StatusReport(try replica.status(isThorough: isThorough), registry)
            }
            let failed = results.entries.filter { (try? $0.result.get()) == nil }.map(\.target)
            let summary = StatusSummary(results.values, failed: failed, now: environment.now())
            let conflicts = results.values.reduce(0) { $0 + $1.value.status.conflicts }
            let apps = folder.stores.map(\.app.title).joined(separator: ", ")
            var lines = ["\(folder.path) (\(apps.isEmpty ? "no store" : apps)): \(summary.sentence)"]
            let awaited = FilesToImport([folder], environment, file)
            lines += awaited.lines.map { "  \($0)" }
            if conflicts > 0 { lines.append("  \(Messages.toDecide(conflicts))") }
            return FolderOverview(
                lines: lines,
                conflicts: conflicts,
                waits: conflicts > 0 || !summary.isUpToDate,
                unlocking: results.values.contains(where: \.value.needsKey)
                    ? "satchel sync key unlock \(ShellText.quoted(folder.path))" : nil,
                json: [
                    "folder": .string(folder.path), "summary": .string(summary.sentence),
                    "upToDate": .bool(summary.isUpToDate), "conflicts": .number(conflicts),
                    "toImport": awaited.json,
                ]
            )
        }
    }

    /// Reads every file of all joined folders, and compares each store with what is known of it.
    package static func check() throws -> [HealthCheck] {
        let registry = try ConfigOption.usual().read()
        guard registry.device != nil else { return [] }
        let environment = try ThisDevice.environment(registry)
        let results = try TargetResults(registry.folders.flatMap(\.targets)) { target in
            try Replica(folder: target.folder.path, store: target.store.path, environment).verify()
        }
        return results.entries.map { entry in
            let subject = "\(entry.target.app.title) in \(entry.target.folder.path)"
            switch entry.result {
            case .failure(let failure):
                let reason = failure.message ?? failure.diagnostics.first?.message ?? Messages.notCheckable
                return HealthCheck(subject, reason, advice: Messages.verifySaysMore)
            case .success(let found) where found.faults.isEmpty && found.differing.isEmpty:
                let unsynced =
                    found.unsynced.isEmpty ? "" : "; " + RecordWords.unsynced(found.unsynced, entry.target.app)
                return HealthCheck(subject, Messages.sound(found.sound) + unsynced)
            case .success(let found):
                var parts = parts(of: found.faults)
                if !found.differing.isEmpty {
                    parts.append((Messages.differing(found.differing.count), Messages.repairRestores))
                }
                var advice: [String] = []
                for part in parts where !advice.contains(part.advice) { advice.append(part.advice) }
                return HealthCheck(
                    subject,
                    parts.map(\.finding).joined(separator: ", "),
                    advice: advice.joined(separator: "; ")
                )
            }
        }
    }

    /// Returns what a folder's faults are, those of one sort together, each with the next step.
    private static func parts(of faults: [SyncIssue]) -> [(finding: String, advice: String)] {
        var counts: [SyncIssue.Kind: Int] = [:]
        for fault in faults {
            let kind: SyncIssue.Kind =
                switch fault.kind {
                case .unshown: .missing
                case .noKey, .oldKey, .twoKeys, .tooNew, .notDownloaded, .gone, .severalSpaces, .tooLarge, .missing:
                    fault.kind
                default: .damaged
                }
            counts[kind, default: 0] += 1
        }
        return counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, count in
            switch kind {
            case .noKey: (Messages.withoutKey(count), Messages.unlockOpens)
            case .oldKey: (Messages.sealedWithOldKey(count), Messages.verifySaysMore)
            case .twoKeys: (Messages.twoKeys, Messages.rotateUnites)
            case .tooNew: (Messages.tooNew(count), Messages.updateProgram)
            case .notDownloaded: (Messages.notDownloaded(count), Messages.driveFetches)
            case .gone: (Messages.gone(count), Messages.repairRestores)
            case .severalSpaces: (Messages.beganApart, Messages.mergeJoins)
            case .tooLarge: (Messages.tooLarge(count), Messages.verifySaysMore)
            case .missing: (Messages.waiting(count), Messages.verifySaysMore)
            default: (Messages.damaged(count), Messages.repairRestores)
            }
        }
    }
}
