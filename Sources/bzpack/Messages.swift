internal import BZTimer
internal import CommandSupport
internal import FileSystem

/// The sentences that bzpack prints, command by command, to be read as one text.
///
/// Commands are named as those of bzpack; the standard streams call them as the program was called.
enum Messages {
    static let nothingWasChanged = "nothing was changed"
    static func added(_ what: String) -> String { "Added \(what)." }
    static func added(_ name: String, id: String) -> String { "Added \"\(name)\" (\(id))." }
    static func deleted(_ what: String) -> String { "Deleted \(what)." }
    static func renamed(_ old: String, _ new: String) -> String { "Renamed \"\(old)\" to \"\(new)\"." }
    static func exists(_ path: String) -> String {
        "\(path) exists already; it was not changed. Use it as it is, or name another file with --store."
    }
    static func exclude(_ one: String, _ other: String) -> String { "\(one) and \(other) exclude each other." }

    // MARK: - Which session, activity or preset

    static func didYouMean(_ place: String, _ kind: String, _ name: String, _ nearest: String) -> String {
        "\(place) has no \(kind) \"\(name)\"; did you mean \"\(nearest)\"?"
    }
    static func missing(_ place: String, _ kind: String, _ name: String, _ hint: String) -> String {
        "\(place) has no \(kind) \"\(name)\"; \(hint)"
    }
    static func nothingRunnable(_ place: String) -> String { "\(place) has no sessions and no presets" }
    static func severalRunnable(_ place: String, _ count: Int, _ names: String) -> String {
        "\(place) has \(count) of them: name one of \(names)"
    }
    static func nothingToRun(_ name: String) -> String { "\"\(name)\" has nothing to run" }

    // MARK: - new, edit, show, session

    static let sessionNeedsName = "a session needs a name"
    static var sessionNeedsNameOrLine: String {
        "a session needs a name: bzpack new NAME\(StoreArgument.repeated), or a line \"name: …\" in the text"
    }
    /// - Parameter argument: The session as an argument of a command, which a shell reads as it is.
    static func sessionExists(_ name: String, _ argument: String, _ program: String) -> String {
        "there is a session \"\(name)\" already: change it with \(program) edit \(argument)\(StoreArgument.repeated), "
            + "or add another one with --allow-duplicates; \(nothingWasChanged)"
    }
    static func addedSession(
        _ name: String,
        _ argument: String,
        _ blocks: String,
        _ length: String,
        _ program: String
    ) -> String {
        "Added \"\(name)\": \(blocks), \(length). \(program) show \(argument)\(StoreArgument.repeated) shows it."
    }
    static func sameName(_ count: Int) -> String {
        "note: \(Words.count(count, "other session")) \(count == 1 ? "has" : "have") this name; commands tell them apart by id"
    }
    static let nothingChanged = "Nothing changed.\n"
    static func changedMeanwhile(_ name: String) -> String {
        "\"\(name)\" changed in the store meanwhile; nothing was written, edit it again"
    }
    static func changedSession(_ name: String, _ blocks: String, _ length: String) -> String {
        "Changed \"\(name)\": \(blocks), \(length)."
    }
    static func addedCategory(_ name: String) -> String { "Added its category \"\(name)\"." }
    static func withoutParts(_ block: String, _ parts: String) -> String {
        "The text leaves out what \"\(block)\" had, and it is removed: \(parts)."
    }
    static func badText(_ name: String, _ line: Int, _ message: String) -> String {
        "\(name):\(line): \(message); \(nothingWasChanged)"
    }
    static func notUTF8(_ name: String) -> String {
        "\(name) is not UTF-8: save it as UTF-8; \(nothingWasChanged)"
    }
    /// - Parameter path: The file with what was typed; nil where nothing was.
    static func editorFails(_ editor: String, _ status: Int, _ path: String?) -> String {
        let place = path.map { "; your text is in \($0)" } ?? ""
        return "the editor \(editor) ended with \(status); \(nothingWasChanged)\(place)"
    }
    static func textKept(_ path: String) -> String { "Your text is in \(path); --file takes it." }
    static let unchangedExample = "the text is still the example; no session was added"
    static let textExcludes = "--as text excludes --html and --format json."

    // MARK: - activities, presets, categories, settings

    static let activityNeedsLabel = "an activity needs a label"
    static func outOfRange(_ option: String, _ value: Int, _ least: Int, _ most: Int) -> String {
        "\(option) is \(value); expected \(least) to \(most)"
    }
    static let noPresets = "the store has no presets to export"
    static func builtIn(_ name: String) -> String { "\"\(name)\" is built in and stays as it is" }
    static func renamedToBuiltIn(_ old: String, _ builtIn: String) -> String {
        "\"\(builtIn)\" is a built-in category: bzpack categories delete \(ShellText.quoted(old)) --to "
            + "\(ShellText.quoted(builtIn))\(StoreArgument.repeated) gives it to what has \"\(old)\""
    }
    static func noCategory(_ name: String, _ hint: String) -> String {
        "the store has no custom category \"\(name)\"; \(hint)"
    }
    static func noOtherCategory(_ name: String) -> String {
        "there is no other category \"\(name)\"; \(nothingWasChanged)"
    }
    static func retentionQuestion(_ value: String, _ entries: String, _ limit: String) -> String {
        "Set historyRetention to \(value) and remove \(entries) older than \(limit)?"
    }
    static let historyChangedMeanwhile = "the history changed meanwhile; nothing was changed, run the command again"
    static let categoriesElsewhere = "custom categories are changed with bzpack categories add, rename, delete"
    static func noSetting(_ name: String, _ names: String) -> String {
        "there is no setting \"\(name)\"; there are \(names)"
    }

    // MARK: - history

    static func deletedHistory(_ count: Int) -> String { "Deleted \(Words.count(count, "history entry")).\n" }
    static func badSeconds(_ most: Int) -> String { "--seconds must be from 0 to \(most)" }
    static let notInBackup = "the store holds what no backup can; nothing was written"
    static func beforeHistory(_ moment: String) -> String {
        "\(moment) is before the history that is kept; \(nothingWasChanged)"
    }
    /// - Parameters:
    ///   - isPro: Whether the Pro plan would not keep all of them either.
    ///   - isShared: Whether the store syncs.
    static func removedOlder(
        _ count: Int,
        _ settings: TimerSettings,
        store: String,
        isPro: Bool,
        isShared: Bool
    ) -> String {
        var (reasons, ways): ([String], [String]) = ([], [])
        if settings.plan == .free {
            reasons.append("the Free plan keeps 30 days")
            ways.append("isProUser true")
        }
        if isPro {
            reasons.append("historyRetention is \(settings.historyRetention.rawValue)")
            ways.append("historyRetention unlimited")
        }
        let removed = "Removed \(Words.count(count, "older entry")), as \(reasons.joined(separator: " and "))."
        guard isShared else { return "\(removed) Only a backup or an exported history still has them." }
        let commands = ways.map { "bzpack settings set \($0)\(StoreArgument.repeated), " }.joined()
        return "\(removed) The shared folder still has what was synced. To get that back: \(commands)then foldersync "
            + "leave FOLDER, foldersync join FOLDER --store \(ShellText.quoted(store))."
    }
    static func future(_ moment: String) -> String { "\(moment) is in the future; \(nothingWasChanged)" }
    static let negativeLimit = "--limit must not be negative"
    static let secondsExpected = "expected a number of seconds, such as 1200"
    static func expiredHistory(_ count: Int) -> String {
        "warning: \(Words.count(count, "entry")) \(count == 1 ? "is" : "are") older than the history that is kept; the "
            + "next bzpack history add removes \(count == 1 ? "it" : "them")"
    }
    static func otherLength(_ entry: SessionHistoryEntry, stored: String, given: String) -> String {
        "warning: \"\(entry.sessionName)\" of \(entry.completedAt) took \(stored) in the store and \(given) in the file; "
            + "the store's stays"
    }
    static func twiceInHistory(_ entry: SessionHistoryEntry, _ first: String, _ second: String) -> String {
        "warning: the file has \"\(entry.sessionName)\" of \(entry.completedAt) twice, with \(first) and \(second); the "
            + "first is taken"
    }
    static let historyIsPro = "Exporting history is a Pro feature."
    /// The way to the Pro plan, behind a message that refuses something on the Free one.
    static var turnOnPro: String { " Turn Pro on: bzpack settings set isProUser true\(StoreArgument.repeated)" }

    // MARK: - timeline

    static let calendarNeedsStart = "--format ical needs --start."
    static let positionForText = "--at and --cues are for text and JSON."
    static func noEvent(_ name: String) -> String { "\"\(name)\" has nothing to run, and a calendar needs an event" }
    static let badPosition = "expected a time from the start, such as 3:20, 1:03:20 or 200 (seconds)"

    // MARK: - import, export, pack, backup

    static let nothingImported = "nothing was imported"
    static let updateExcludes = "--update excludes --allow-duplicates and --from-storage."
    static let updateExcludesDuplicates = "--update excludes --allow-duplicates."
    static let inputExpected = "Expected either files, or a phone's storage with --from-storage."
    static func unusableStorage(_ path: String) -> String {
        "\(path) holds nothing of BZ Timer that can be used; \(nothingImported)"
    }
    static let noSessions = "the store has no sessions to export"
    static let folderOrList = "Expected either a folder with --output, or --list."
    static func tooManyFiles(_ count: Int, _ most: Int) -> String {
        "these are \(count) files, and a pack holds up to \(most)"
    }
    static func tooLarge(_ most: Int) -> String {
        "the files have more than \(most) bytes, which is the limit of a pack"
    }
    static let nothingPacked = "nothing was packed"
    static let packDiffers = "the pack read back is not what was packed; nothing was written"
    /// - Parameter ids: The identifiers of the other records, at least one.
    static func namesakes(_ ids: [String], _ noun: String) -> String {
        let others = Words.count(ids.count, "other \(noun)")
        let list = ids.prefix(3).joined(separator: ", ") + (ids.count > 3 ? ", …" : "")
        return "The store has \(others) of this name, which \(ids.count == 1 ? "stays" : "stay"): \(list)."
    }
    static func goAway(_ what: String) -> String { "Goes away: \(what)." }
    static func goBack(_ what: String) -> String { "Goes back to what the backup has: \(what)." }
    static func goesHereOnly(_ count: Int, _ settings: TimerSettings) -> String {
        let reason =
            settings.plan == .free
            ? "the Free plan keeps 30 days" : "historyRetention is \(settings.historyRetention.rawValue)"
        let older = "\(Words.count(count, "older entry")) \(count == 1 ? "goes" : "go")"
        return "Of the history \(older) from this device alone, as \(reason): other devices keep "
            + "\(count == 1 ? "it" : "them")."
    }
    static func storeIsNewer(_ changed: String, _ made: String) -> String {
        "The store is newer: it was last changed at \(changed), and the backup was made at \(made)."
    }
    static var restoreOne: String { "bzpack restore FILE \"NAME\"\(StoreArgument.repeated)" }
    static func undo(_ file: String) -> String {
        "Undo: bzpack restore \(ShellText.quoted(file))\(StoreArgument.repeated)"
    }
    static func undoByCopy(_ file: String) -> String {
        "Some of the store cannot be in a backup, so all of it as it was is in \(file): put that in its place to undo."
    }

    // MARK: - Files

    static func sessionsBecomePresets(_ output: String) -> String {
        "sessions become presets of GymPulse, and \(output) is the name of a workout; add --to zwo for one"
    }
    static func noSuchBackupCommand(_ word: String) -> String {
        "bzpack backup writes a file and has no command \(word): satchel doctor tells of the last backup; ./\(word) names "
            + "a file."
    }
    static func holdsSessions(_ file: String) -> String { "\(file) holds sessions already; nothing was written" }
    static func becomesSessions(_ file: String, _ target: String) -> String {
        "\(file) becomes sessions: bzpack convert \(ShellText.quoted(file)) -o FILE.bztimer, then bzpack convert "
            + "FILE.bztimer --to \(target)"
    }
    static func useConvert(_ file: String) -> String { "\(file) is a Zwift workout; use bzpack convert" }
    static func oneSession(_ count: Int) -> String {
        "a workout holds one session, not \(count): name one with --only"
    }
    static let notImportable = "the store holds what no file of sessions can; nothing was written"
    static let notMergeable = "the files cannot be merged"
}
