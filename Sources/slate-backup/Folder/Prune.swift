internal import CivilTime
internal import ArgumentParser
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Prune: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove the backups of a folder that no rule keeps.",
            discussion: """
                Each rule keeps by itself: the newest ones, or the newest of each of the last days, ISO weeks, months or \
                years that have a backup. It goes by the names' dates. Left alone is what is not named like a backup and \
                what is dated in the future; the newest backup that verifies always stays, and one that holds far more \
                than that. Backups that share hardly any task or habit with the newest ones are of another database, and \
                stay. A backup that does not verify takes no other's place. Where none verifies, all stay, and the \
                command ends with 3. Where no key at hand opens the newest, all stay as well, and it ends with 77.
                """
        )

        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Option(help: ArgumentHelp("Keep this many of the newest.", valueName: "number")) var keepLast = 0
        @Option(help: ArgumentHelp("Keep the newest of this many days.", valueName: "number")) var keepDaily = 0
        @Option(help: ArgumentHelp("Keep the newest of this many weeks.", valueName: "number")) var keepWeekly = 0
        @Option(help: ArgumentHelp("Keep the newest of this many months.", valueName: "number")) var keepMonthly = 0
        @Option(help: ArgumentHelp("Keep the newest of this many years.", valueName: "number")) var keepYearly = 0
        @Flag(help: "Count backups that import --repair would correct as valid.") var repair = false
        @Flag(help: "Say what would be removed, and remove nothing.") var dryRun = false
        /// The file that "backup" just wrote.
        @Option(help: .hidden) var written: String?
        @Argument(help: "The folder.", completion: .directory) var folder: String

        func run() throws {
            let rules = try SlateRetention(
                last: keepLast,
                daily: keepDaily,
                weekly: keepWeekly,
                monthly: keepMonthly,
                yearly: keepYearly
            )
            let folder = try BackupFolder(folder)
            let today = try clock.today(in: zone.clock())
            var hasVerified = false
            var wasAsked = false
            var locked: Set<String> = []
            var newer: Set<String> = []
            var isNewestLocked = false
            let progress = ProgressLine()
            var own = written.flatMap { BackupOutline.identity(of: folder.listing.path(of: $0)) }
            let names = folder.listing.files.filter(\.isOrdinary).map(\.name)
            var decisions = rules.decide(
                names,
                moments: folder.moments(until: today),
                kept: Set([written].compactMap(\.self)),
                today: today,
                belongs: { name in
                    progress.show("Looking through \(name)")
                    // A file that cannot be read, or holds nothing, may be of any database.
                    guard let found = BackupOutline.identity(of: folder.listing.path(of: name)), !found.isEmpty else {
                        return true
                    }
                    guard let known = own else {
                        own = found
                        return true
                    }
                    // A database that was just made says nothing of those that hold something.
                    guard !known.isEmpty, !known.isForeign(to: found) else { return false }
                    own?.formUnion(found)
                    return true
                },
                verifies: { name in
                    progress.show("Checking \(name)")
                    let (report, _) = SlateInput.read(folder.listing.path(of: name), repair: repair)
                    StandardError.write(report.text)
                    if report.isLocked {
                        locked.insert(name)
                        isNewestLocked = isNewestLocked || !wasAsked
                    }
                    if report.isNewer { newer.insert(name) }
                    wasAsked = true
                    hasVerified = hasVerified || report.isUsable
                    return report.isUsable
                },
                opens: { name in
                    guard SlateFileName(name).map({ $0.kind == $0.kind.encrypted }) == true else { return true }
                    return (try? InputFile(reading: folder.listing.path(of: name), asks: false)) != nil
                },
                outweighs: { BackupOutline.outweighs(folder.listing.path(of: $0), folder.listing.path(of: $1)) }
            )
            progress.end()
            for index in decisions.indices where !decisions[index].reasons.isEmpty {
                if locked.contains(decisions[index].name) { decisions[index].reasons = [Messages.cannotOpen] }
                if newer.contains(decisions[index].name) { decisions[index].reasons = [Messages.newerVersion] }
            }
            // "backup" has verified the file that it just wrote, whatever else lies there.
            let isRefused = isNewestLocked && written == nil
            if isRefused {
                for index in decisions.indices where !decisions[index].isKept {
                    (decisions[index].isKept, decisions[index].reasons) = (true, [Messages.newestLocked])
                }
            }
            // The oldest first: whenever this is interrupted, the newer ones are there.
            let removed = decisions.filter { !$0.isKept }.map(\.name)
                .sorted { (SlateFileName($0), $0) < (SlateFileName($1), $1) }
            let plan = decisions.map {
                "\($0.isKept ? "keep" : "remove") \($0.name): \($0.reasons.joined(separator: ", "))"
            }
            let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            let count = Words.count(removed.count, "backup")
            printer.show(plan)
            if !dryRun, !removed.isEmpty {
                try printer.require(Messages.removeQuestion(count, folder.listing.path))
                try folder.listing.remove(removed)
            }
            try printer.finish(
                Messages.removed(count, of: folder.backups.count, folder.listing.path, isDryRun: dryRun),
                [
                    "dryRun": .bool(dryRun),
                    "folder": .string(folder.listing.path),
                    "decisions": .array(decisions.map(Self.json)),
                    "removed": .number(removed.count),
                ]
            )
            if isRefused { throw ExitStatus.noKey.exitCode }
            if wasAsked, !hasVerified {
                StandardError.write(Messages.noneVerifies(in: TerminalText.safe(folder.listing.path)))
                throw ExitStatus.findings.exitCode
            }
        }

        private static func json(_ decision: SlateRetention.Decision) -> JSONValue {
            [
                "name": .string(decision.name),
                "kept": .bool(decision.isKept),
                "reasons": .array(decision.reasons.map(JSONValue.string)),
            ]
        }
    }
}

/// Names that cannot be taken apart come first; there are none among those that are removed.
private func < (left: (SlateFileName?, String), right: (SlateFileName?, String)) -> Bool {
    guard let first = left.0, let second = right.0 else { return left.1 < right.1 }
    return first < second
}
