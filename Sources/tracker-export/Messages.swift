internal import CommandSupport
internal import FileSystem
internal import TimeTracker

/// The sentences that tracker-export prints, of Time Tracker and Study Timer, command by command, to be read as one text.
///
/// Commands are named as those of tracker-export; the standard streams call them as the program was called.
enum Messages {
    static let nothingWasChanged = "nothing was changed"
    static func notYet(_ option: String, _ moment: String) -> String { "\(option), \(moment), has not come yet" }
    static let sayWhatToChange = "say what to change, such as --end 17:30"
    static func wrongStore(_ path: String) -> String {
        "\(path) is a store of Study Timer, and this is for Time Tracker"
    }

    // MARK: - init, import, export

    static func folderInTheWay(_ path: String) -> String { "cannot create \(path): it is a folder" }
    static func exists(_ path: String) -> String {
        "\(path) exists already; it was not changed. Use it as it is, or name another file with --store."
    }
    static func made(_ path: String, sample: Int?) -> String {
        let with = sample.map { " and \(Words.count($0, "activity")) as a sample" } ?? ""
        return "Made \(path) with 8 buttons\(with).\n"
    }
    static func madeStudy(_ path: String, sample: Int?) -> String {
        "Made \(path), \(sample.map { "with \(Words.count($0, "session")) as a sample" } ?? "without sessions").\n"
    }
    static let inputExpected = "name a file, or a phone's storage with --from-storage"
    static let nothingImported = "nothing was imported"
    static let tablesAlone = "only files of the tables of Study Timer are imported together"
    static func studyTable(_ name: String) -> String {
        "\(name) is a table of Study Timer, which has a store of its own"
    }
    static func noSessions(in file: String) -> String {
        "\(file): a table or calendar cannot become sessions of Study Timer; give the JSON that study export writes, "
            + "or the cloud's tables sessions and session_history"
    }
    static let nothingToImport = "  nothing to import"
    static func badDayStart(_ found: String) -> String {
        "--day-start is \"\(found)\"; expected a time of day such as 09:00"
    }
    static func noTimeZone(_ name: String) -> String {
        "there is no time zone \"\(name)\"; expected a name such as Europe/Berlin"
    }
    static let studyFormats = "the log of Study Timer is written as JSON, CSV or iCalendar"
    static let wholeLog = "JSON and XML hold the whole log; for some days write .csv or .ics"
    static func exported(_ count: Int, _ what: String, _ file: String) -> String {
        "Exported \(Words.count(count, what)) to \(file)."
    }
    static func unknownEnding(_ file: String) -> String {
        "\(file) does not end in .json, .csv, .xml or .ics: say which format with --as"
    }
    static let versionOfJSON = "--to-version is for JSON"

    // MARK: - start, stop, status

    static let nothingRuns = "Nothing is running."
    static func beginsLater(_ name: String, _ start: String) -> String {
        "\"\(name)\" is running and begins in the future, at \(start): check the clock, or correct it with "
            + "tracker-export entries edit running --start TIME\(StoreArgument.repeated)."
    }
    static func endsLater(_ name: String, _ end: String, _ entry: String) -> String {
        "\"\(name)\" ends in the future, at \(end): if a clock was ahead, correct it with "
            + "tracker-export entries edit \(entry) --end TIME\(StoreArgument.repeated)."
    }
    static func line(_ what: String, _ name: String, _ start: String, _ length: String) -> String {
        "\(what) \"\(name)\", since \(start)\(length)."
    }

    // MARK: - entries and undo

    static func noEntries(_ days: String) -> String {
        "No entries on \(days). Other days: --date, --week, --month, --from.\n"
    }
    static func noEntry(_ name: String) -> String {
        "there is no entry \"\(name)\"; entries list shows them, --week of a whole week"
    }
    static func severalEntries(_ count: Int, _ name: String) -> String {
        "\"\(name)\" names \(count) entries; give more letters, or the id"
    }
    static let endAndRunning = "--end and --running exclude each other"
    static func endBeforeStart(_ end: String, _ start: String) -> String {
        "the end, \(end), is before the start, \(start); \(nothingWasChanged)"
    }
    static func sameAsStart(_ option: String, _ time: String, _ nextDay: String) -> String {
        "\(option) \(time) is the time of the start; name the day, such as \"\(nextDay)\" for the next one"
    }
    static func notWithin(_ time: String, _ span: String) -> String { "\(time) is not within the entry, \(span)" }
    static func overlap(_ entry: String, _ other: String) -> String {
        "\(entry) and \(other) overlap; time that they share counts once in what is tracked"
    }
    static func added(_ what: String) -> String { "Added \(what)." }
    static func deleted(_ what: String) -> String { "Deleted \(what)." }
    static func changed(_ what: String, _ changes: String = "") -> String { "Changed \(what)\(changes)." }
    static func undone(_ what: String) -> String { "Undone: \(what)." }

    // MARK: - buttons

    static let buttonNeedsName = "a button needs a name"
    static func buttonExists(_ name: String, _ hint: String? = nil) -> String {
        "there is a button \"\(name)\" already\(hint.map { "; \($0)" } ?? "")"
    }
    static func hiddenAlready(_ name: String) -> String { "\"\(name)\" is hidden already" }
    static func hidden(_ name: String) -> String {
        let command = ProgramNames.asCalled("tracker-export buttons edit \(ShellText.quoted(name)) --show")
        return "The button \"\(name)\" is hidden. To show it: \(command)\(StoreArgument.repeated)"
    }
    static let noButtons = "There are no buttons. Add one: buttons add NAME.\n"
    static func noColor(_ found: String) -> String { "\"\(found)\" is no colour; expected one such as #4CAF50" }
    static let firstPlace = "places begin at 1"
    static let sayWhatOfButton = "say what to change, such as --color \"#4CAF50\""
    static func addedButton(_ name: String, _ look: String) -> String { "Added the button \"\(name)\", \(look)." }
    static func deletedButton(_ name: String) -> String { "Deleted the button \"\(name)\"." }

    // MARK: - summary and report

    static func exclude(_ one: String, _ other: String) -> String { "\(one) and \(other) exclude each other" }
    static let toNeedsFrom = "--to needs --from"
    static func fromAfter(_ first: String, _ what: String) -> String { "--from, \(first), is after \(what)" }
    static func tooManyDays(_ first: String, _ last: String, _ most: Int) -> String {
        "\(first) to \(last) are more than \(most) days; choose fewer"
    }
    static let nothingTracked = "Nothing was tracked.\n"
    static let plannedEntries = "Planned:\n"
    static let billedTwice = ", more than was tracked: time that entries share is billed in each"
    static let noGaps = "No gaps.\n"
    static func planned(_ period: PeriodSummary) -> String {
        "\(Words.length(period.plannedLength)) ahead of now, in no sum"
    }
    static func plannedApart(_ period: PeriodSummary) -> String {
        "\(Words.length(period.plannedLength)) planned ahead of now, which no sum here has"
    }

    // MARK: - study

    static let sessionNeedsSubject = "a session needs a subject"
    static let noSessionRuns = "No session is running."
    static func severalRun(_ titles: [String]) -> String {
        let names = titles.map { "\"\($0)\"" }.joined(separator: " and ")
        return "\(names) run at once; study stop ends the one that began last, study start all of them"
    }
    static func noSessions(_ days: String) -> String {
        "No sessions on \(days). Other days: --date, --week, --month, --from.\n"
    }
    static func noSession(_ name: String) -> String {
        "there is no session \"\(name)\"; study sessions shows them, --month those of a whole month"
    }
    static func severalSessions(_ count: Int, _ name: String) -> String {
        "\"\(name)\" names \(count) sessions; give more letters, or the id"
    }
    static var undoStudy: String { "To undo: satchel study undo\(StoreArgument.repeated)" }
    static let goalNeedsSubject = "a goal needs a subject"
    static let offNeedsSubject = "--off needs a subject and no amount"
    static func badAmount(_ found: String) -> String {
        let reason = MoneySum.isAmbiguous(found) ? "can be read in two ways" : "cannot be read"
        return "--amount \"\(found)\" \(reason); expected one such as \"120.50 EUR\", or \"1000 EUR\""
    }
    static func badGoal(_ found: String) -> String {
        "\"\(found)\" is no goal; expected such as 10h/week, 45min/day or 40h/month"
    }
    static func goal(_ subject: String, _ goal: String, before: String?) -> String {
        let replaced = before.map { "; it was \($0)" } ?? ""
        return "The goal of \"\(subject)\" is \(goal)\(replaced). It stays on this device."
    }
    static func noGoal(_ subject: String) -> String { "\"\(subject)\" has no goal" }
    static func noGoalAnyMore(_ subject: String) -> String { "\"\(subject)\" has no goal any more." }
    static var noGoals: String {
        let command = ProgramNames.asCalled("tracker-export study goal SUBJECT 10h/week")
        return "There are no goals. Set one: \(command)\(StoreArgument.repeated)\n"
    }
    static func newGoal(_ message: String) -> String {
        "\(message)\(message.hasSuffix("?") ? " " : "; ")--new sets a goal for a new subject; \(nothingWasChanged)"
    }
    static func damagedGoals(_ path: String) -> String {
        "\(path) does not hold the study goals that it should; correct or remove it"
    }

    // MARK: - find and restore

    static func unusable(_ path: String) -> String { "\(path) cannot be used" }
    static func notWhole(_ path: String) -> String {
        "\(path) does not hold everything; take JSON, XML or a store"
    }
    static func same(_ name: String) -> String { "The store has \"\(name)\" as it was. Nothing was changed." }
    static let nothingBack = "There is nothing to bring back. Nothing was changed."
    static let sameAll = "The store has it as it was. Nothing was changed."
    static func broughtBack(_ words: String, isDryRun: Bool) -> String {
        isDryRun ? "Would bring back \(words). Nothing was changed." : "Brought back \(words)."
    }
    static var restoreOne: String { "tracker-export restore FILE \"NAME\"\(StoreArgument.repeated)" }
    static var restoreOneSession: String { "satchel study restore FILE \"SUBJECT\"\(StoreArgument.repeated)" }
    static func undoRestore(_ file: String) -> String {
        " To undo: satchel study restore \(ShellText.quoted(file))\(StoreArgument.repeated)"
    }
    static let changedMeanwhile = "the store was changed meanwhile; try again; \(nothingWasChanged)"

    // MARK: - verify and merge

    static func lost(_ count: Int) -> String {
        "\(Words.count(count, "activity")) of the file would not be in the store"
    }
    static func missing(_ noun: String, _ count: Int, of all: Int) -> String {
        "of \(Words.count(all, noun)) only \(count) are in the store afterwards"
    }
    static let invalidExport = "its export is not valid"
    static let differs = "what came back is not the same"
    static func restored(_ records: Int, _ bytes: Int) -> String {
        "; restored \(Words.count(records, "record")), \(bytes) bytes came back the same"
    }
    static let notMergeable = "the files cannot be merged"
}
