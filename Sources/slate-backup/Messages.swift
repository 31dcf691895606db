internal import CommandSupport
internal import FileSystem

/// The sentences that slate-backup prints, command by command, to be read as one text.
///
/// Commands are named as those of slate-backup; the standard streams call them as the program was called.
enum Messages {
    static let nothingWasChanged = "nothing was changed"
    static let nothingChanged = " Nothing was changed."
    static func keptCopy(_ path: String) -> String {
        " The database as it was is kept in \(path); slate-backup undo\(StoreArgument.repeated) goes back to it."
    }

    // MARK: - today, done, habit

    static let habitsNone = "No habits.\n"
    static let noTasksToday = "No tasks for today.\n"
    static func noSearchResult(_ text: String) -> String { "Nothing has \"\(text)\" in it." }
    static let nothingToSearch = "there is nothing to search for"
    static func done(_ title: String, _ word: String, _ back: String) -> String {
        "\"\(title)\" is \(word). Take it back: \(back)"
    }
    static func back(_ command: String, _ name: String, _ rest: String = "") -> String {
        "slate-backup \(command) \(name)\(rest)\(StoreArgument.repeated)"
    }
    static func doneAlready(_ title: String, _ word: String) -> String {
        "\"\(title)\" is \(word) already. Nothing was changed."
    }
    static func marked(_ title: String, _ day: String, isDone: Bool, isNew: Bool) -> String {
        switch (isDone, isNew) {
        case (true, true): "\"\(title)\" is done on \(day)."
        case (true, false): "\"\(title)\" is done on \(day) already."
        case (false, true): "\"\(title)\" is not done on \(day)."
        case (false, false): "\"\(title)\" was not done on \(day) anyway."
        }
    }
    static func inFuture(_ time: String) -> String { "\(time) is in the future; \(nothingWasChanged)" }
    static let perfect = " The day is perfect."
    static let staysPerfect = " The day stays perfect; --no-perfect-day changes that."
    static let perfectNoMore = " The day is perfect no more."
    static func leftOver(_ count: Int) -> String {
        "\(Words.count(count, "unfinished task")) in the last plan before today: slate-backup rollover"
            + "\(StoreArgument.repeated) plans \(count == 1 ? "it" : "them") for today.\n"
    }
    static func planQuestion(_ count: Int, _ day: String) -> String { "Plan \(Words.count(count, "task")) for \(day)?" }

    // MARK: - init

    static func folderInTheWay(_ path: String) -> String { "cannot create \(path): it is a folder" }
    static func exists(_ path: String) -> String {
        "\(path) exists already; it was not changed. Use it as it is, or name another file with --store."
    }
    static func made(_ path: String) -> String { "Made \(path), without tasks and habits.\n" }
    static func made(_ path: String, with rows: String) -> String { "Made \(path) with \(rows) as a sample.\n" }

    // MARK: - export

    static func exclude(_ what: String) -> String { "--plain and \(what) exclude each other" }
    static let namedArchive = "an output that ends in .slatebackup"
    static let bothToOutput = "the report and the backup cannot both go to the standard output"
    static func notForTerminal(_ what: String) -> String { "\(what) is not for a terminal: name a file with --output" }
    static func exported(_ rows: String, _ file: String, _ form: String) -> String {
        "Exported \(rows) to \(file) (\(form))."
    }
    static func addEncrypt(_ path: String) -> String { "\(path) is named like an encrypted file: add --encrypt" }
    static func nameEncrypted(_ path: String) -> String {
        "\(path) would be encrypted: name a file that ends in .json.age or .slatebackup.age"
    }
    static func namedJSON(_ path: String) -> String {
        "\(path) is named like plain JSON and would be an archive: name a file that ends in .slatebackup"
    }
    static func addArchive(_ path: String, _ kind: String) -> String {
        "\(path) is named like an archive: add --archive \(kind)"
    }
    static func exportOntoDatabase(_ path: String, isDatabase: Bool) -> String {
        "cannot export to \(path): \(isDatabase ? "it is the database itself" : "it belongs to the database"); "
            + "nothing was exported"
    }
    static func exportIntoCopies(_ path: String, _ folder: String) -> String {
        "cannot export to \(path): \(folder) has the copies that undo goes back to; name another folder"
    }
    static func badExportName(_ path: String, exists: Bool, isEncrypted: Bool) -> String {
        let endings = isEncrypted ? ".json.age or .slatebackup.age" : ".json or .slatebackup"
        return exists
            ? "\(path) is no backup of Slate, so it is not replaced: name a file that ends in \(endings)"
            : "\(path) is no folder: make it, or name a file that ends in \(endings)"
    }
    static let otherKey = "which is encrypted with another key"
    static let notABackup = "which is no backup of Slate"
    static let keptOtherKey = "encrypted with another key, so it is not replaced"
    static let keptNoBackup = "no valid backup of Slate, so it is not replaced"
    static func noNameLeft(_ name: String, _ count: Int) -> String {
        "cannot create \(name): there are \(count) of that date already"
    }
    static func noMoment(_ text: String) -> String { "\(text) is no moment to name a file after" }
    static func tooLarge(_ size: Int, _ most: Int) -> String {
        "the export has \(size) bytes, and \(most) is the most that can be read back; nothing was exported"
    }
    static func notAllowed(_ count: String) -> String {
        "the database holds \(count) that Slate's format does not allow; nothing was exported"
    }
    static let exportDiffers = "the export read back is not what was written; nothing was exported"
    static let archiveDiffers = "the archive read back is not what was written; nothing was exported"
    static func versionTooSmall(_ version: Int) -> String {
        "version \(version) does not hold all of it; nothing was exported"
    }
    static func noArchive(_ name: String) -> String {
        "cannot write \(name) as an archive; write .json instead; nothing was exported"
    }
    static func shrunk(_ what: String) -> String { "kept beside the new backup, which has \(what)" }
    static func shrunk(to new: Int, from old: Int) -> String {
        "kept beside the new backup, which has \(new) rows where this has \(old)"
    }
    static func shrunkBelow(_ what: String, _ other: String) -> String {
        "the new backup has \(what), \(other); see whether the database is the right one"
    }

    static func otherDatabase(_ store: String, other: String?) -> String {
        "it shares hardly any task or habit with \(store), so it counts as a backup of another database"
            + "\(other.map { ", \($0)," } ?? "") and stays; give each database a folder of its own: slate-backup backup --to FOLDER\(StoreArgument.repeated)"
    }

    // MARK: - import and undo

    static let fileAndFolder = "expected a file, or a folder with --from, and not both"
    static let recomputeExpected = "--recompute-perfect-days must be a number from 1 on, all or none"
    static func isDatabase(_ path: String) -> String {
        "this is a database and no backup: if it is Slate's, slate-backup export --store \(path) writes one"
    }
    static let nothingImported = "nothing was imported"
    static let repairImports = "nothing was imported; with --repair what is wrong is corrected, and the rest imported"
    static func trialCopyFails(_ reason: String) -> String {
        "the dry run works on a copy of the database in this folder: \(reason); TMPDIR names another one"
    }
    static func upgraded(_ version: Int) -> String {
        "The database is of version 1; it is upgraded to version \(version)."
    }
    static func goAway(_ titles: [String], of count: Int, _ table: String) -> String {
        let more = count > titles.count ? " and \(count - titles.count) more" : ""
        return "Of \(table) \(count == 1 ? "this goes" : "these go") away: \(titles.joined(separator: ", "))\(more)"
    }
    static func goBackQuestion(_ path: String) -> String { "Go back to \(path)?" }
    static func interrupted(_ path: String, _ reason: String) -> String {
        "warning: \(path) is newer: it was made \(reason) that was interrupted and may have been done; go back to it "
            + "with --copy"
    }
    static func noCopy(_ number: String, _ database: String) -> String {
        "there is no copy \(number) of \(database); see slate-backup undo --list\(StoreArgument.repeated)"
    }
    static func noCopies(_ database: String) -> String { "There are no copies of \(database)." }
    static func undone(_ database: String, kept: String?) -> String {
        "\(database) is what it was.\(kept.map { " The previous state is kept in \($0)." } ?? "")"
    }
    static func wouldGoBack(_ path: String) -> String { "Would go back to \(path). Nothing was changed." }
    static let correctRow = "correct it in the app, or with sqlite3; until then keep a copy of the database file itself"
    static var restoreCorrupt: String {
        "restore the state before the last import with slate-backup undo\(StoreArgument.repeated); where there was none, "
            + "move the file away and import a backup"
    }

    // MARK: - stats

    static let onePeriod = "Give one of --week, --month and --from."
    static let toNeedsFrom = "--to needs --from."
    static func fromAfterTo(_ from: String, _ to: String) -> String { "--from is \(from), after \(to)" }
    static func badDayStart(_ found: String) -> String {
        "meta.day_start is \"\(found)\", expected a time such as 04:30; 04:00 was taken"
    }

    // MARK: - calendar

    static let outputAndFolder = "--output and --folder exclude each other."
    static let calendarToOutput = "the report and the calendar cannot both go to the standard output"
    static func wroteCalendar(_ due: Int, _ reminders: Int, _ file: String) -> String {
        "Wrote \(Words.count(due, "due date")) and \(Words.count(reminders, "reminder")) to \(file)."
    }
    static func calendar(_ file: String, _ events: Int, isSame: Bool) -> String {
        "\(file): \(Words.count(events, "event")), \(isSame ? "unchanged" : "written")\n"
    }

    // MARK: - verify, inspect, diff, merge

    static let filesExpected = "expected files, or a folder with --from"
    static func restored(_ rows: Int, _ bytes: Int) -> String {
        "; restored \(Words.count(rows, "row")), \(bytes) bytes came back the same"
    }
    static func differsFrom(_ place: Int) -> String {
        "what came back from a database of its own differs from byte \(place) on"
    }
    static func cameBack(_ count: Int, of rows: Int) -> String { "\(count) of \(Words.count(rows, "row")) came back" }
    static func notRestorable(_ reason: String) -> String { "it cannot be restored: \(reason)" }
    static let noManifest = "the archive has no manifest: its hashes could not be checked"
    static func noTable(_ name: String, _ known: String) -> String {
        "there is no table \"\(name)\"; there are \(known)"
    }
    static let noDifferences = "No differences.\n"
    static let notMergeable = "the backups cannot be merged"

    // MARK: - list and prune

    static func noBackups(in folder: String) -> String { "There are no backups in the folder \(folder)" }
    static func noBackupFile(_ path: String) -> String {
        "\(path) is not there, or is no file: name backups, not their folder"
    }
    static let filesOrFolder = "name files or --backups, not both"
    static let folderNeedsName = "a folder needs a name; . is the current one"
    static let futureBackup = "dated in the future, so it was passed over; name it to use it"
    static func noBackup(in folder: String, isFuture: Bool) -> String {
        let reason =
            isFuture ? "all that are there are dated in the future" : "no file is named like Slate-20260107.json"
        return "there is no backup in \(folder): \(reason)"
    }
    static let skipped = "does not verify, so it was skipped; --repair corrects and takes it"
    static let passedOver = "does not verify, so it was passed over; see slate-backup verify"
    static func severalDatabases(_ folder: String, _ files: [String]) -> String {
        let commands = files.map { "slate-backup import \(ShellText.quoted($0))\(StoreArgument.repeated)" }
        return "\(folder) has backups of \(files.count) databases, which share hardly any task or habit: name the one "
            + "to import, \(commands.joined(separator: ", or ")); \(nothingWasChanged)"
    }
    static let ofOtherDatabase =
        "it shares hardly any task or habit with the database and what is imported, so it was passed over; name it to use it"
    static let holdsFarMore = "it holds far more than the newest backup, which is taken; name it to use it"
    static func noneVerifies(_ count: String, _ folder: String) -> String {
        "none of the \(count) in \(folder) verifies; see slate-backup verify"
    }
    static func noneVerifies(in folder: String) -> String { "slate-backup: no backup in \(folder) verifies\n" }
    static let newerVersion = "of a newer version, which this program does not know: left alone"
    static let newestIsNewer =
        "the newest backup is of a newer version: update the program, or name an older backup; nothing was changed"
    static let newestLocked = "the newest cannot be opened with the keys at hand: left alone"
    static let cannotOpen = "cannot be opened with the keys at hand: left alone"
    static func removeQuestion(_ count: String, _ folder: String) -> String { "Remove \(count) from \(folder)?" }
    static func removed(_ count: String, of all: Int, _ folder: String, isDryRun: Bool) -> String {
        "\(isDryRun ? "Would remove" : "Removed") \(count) of \(all) from \(folder)."
    }

    // MARK: - backup

    static let badKeep = "--keep needs a number above 0."
    static let toNeedsFolder = "--to needs a folder; . is the current one"
    static let noHome = "HOME is not set: name a folder with --to"
    static let noTimerPlace = "neither XDG_CONFIG_HOME nor HOME is set, so there is no place for a timer"
    static let noAgentPlace = "HOME is not set, so there is no place for an agent of launchd"
    static let noneGood = "No backup is known to be good."
    static var noSchedule: String {
        "none; set one up: slate-backup backup schedule --daily\(StoreArgument.repeated)"
    }
    static let olderThanAWeek = "The last good backup is older than a week."
    static func makeNew(_ command: String) -> String { "Make a new one: \(command)" }
    static func notNoted(_ reason: String) -> String {
        "warning: the backup could not be noted for backup status: \(reason)"
    }
    static let notWritable = "it cannot be written"
    static func foreignTimer(_ path: String) -> String {
        "\(path) is there and was not written by this command; move it away; \(nothingWasChanged)"
    }
    static func foreignFile(_ path: String) -> String {
        "\(path) was not written by this command; \(nothingWasChanged)"
    }
    static func endsSchedule(_ store: String) -> String { "end the schedule of \(store)" }
    static func otherSchedule(_ store: String) -> String {
        "the schedule backs up \(store); name that with --store to remove it; \(nothingWasChanged)"
    }
    static let setUpQuestion = "Set this up?"
    static let removeScheduleQuestion = "Remove the schedule?"
    static let alsoLoggedOut = " Also while you are not logged in: loginctl enable-linger."
    static func scheduled(_ what: String, _ linger: String, isDryRun: Bool) -> String {
        isDryRun ? "Would back up \(what). Nothing was changed." : "Backs up \(what).\(linger)"
    }
    static func unscheduled(isEmpty: Bool, isDryRun: Bool) -> String {
        if isEmpty { return "There is no schedule." }
        return (isDryRun ? "Would remove the schedule. Nothing was changed." : "Removed the schedule.")
            + " The backups stay."
    }
    static func controlCharacter(_ word: String) -> String {
        "\(word): found a control character, such as a line end, which a schedule cannot hold; choose another name; "
            + nothingWasChanged
    }
    static func ended(_ command: String, _ status: Int32, _ errors: String) -> String {
        "\(command) ended with \(status): \(errors)"
    }

    // MARK: - find and restore

    static var restoreOne: String { "slate-backup restore FILE \"TITLE\"\(StoreArgument.repeated)" }
    static func unusable(_ path: String) -> String { "\(path) cannot be used" }
    static func notInBackup(_ file: String, _ name: String, _ title: String, then: FoundRecord?) -> String {
        let none = "\(file) has no task or habit \"\(name)\""
        guard let then else { return "\(none), nor has it \"\(title)\" of the database by another title" }
        let command = "slate-backup restore \(ShellText.quoted(file)) \(ShellText.quoted(then.id))"
        return "\(none); \"\(title)\" of the database is \"\(then.title)\" there: \(command)\(StoreArgument.repeated)"
    }
    static func restoreQuestion(_ title: String, _ database: String, _ upgrade: String) -> String {
        "Bring back \(title) into \(database)\(upgrade)?"
    }
    static func restored(_ title: String, isDone: Bool) -> String {
        "\(isDone ? "Brought" : "Would bring") back \(title)."
    }
    static func same(_ title: String, _ database: String) -> String {
        "\(database) has \(title) as it was. Nothing was changed."
    }
}
