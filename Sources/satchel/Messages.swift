internal import CommandSupport

/// The sentences that satchel itself prints, command by command, to be read as one text; its parts have theirs.
enum Messages {
    // MARK: - status

    static let nothingSetUp = "Nothing is set up on this device yet."
    static func unreadable(_ path: String, _ reason: String) -> String { "\(path) cannot be read: \(reason)" }
    static func lastBackup(_ line: String) -> String { "  last good backup: \(line)" }

    static let findFault = "Find out what is wrong."
    static let backUpAnew = "Make a new backup of Slate."
    static let seeConflicts = "See the values to choose between."
    static let openFolder = "Open the encrypted folder with its passphrase."
    static let syncNow = "Sync now."
    static let importSession = "Import a session that you were sent."
    static let restoreSlate = "Restore a backup of Slate."
    static let importLog = "Import a time log, also from other programs."
    static let joinFolder = "Join a shared folder."
    static let backUpSlate = "Back up Slate."
    static let seeBackup = "See when Slate was backed up."
    static let keepInStep = "Keep another device in step."

    // MARK: - doctor

    static let nothingToCheck = "There is nothing to check: no store at its usual place, and no folder.\n"
    static func read(_ records: Int) -> String { "\(Words.count(records, "record")) read" }
    static func unusable(_ count: Int, of all: Int, _ first: String) -> String {
        "\(Words.count(count, "record")) of \(all) cannot be used: \(first)"
    }
    static let restoreRecords = "restore a backup, or bring back the records from a shared folder"
    static let leaveStore = "leave the file as it is until then"
    static let nothingLost = "the file itself may be sound: leave it as it is"
    static let restoreStore = "restore a backup, or join the shared folder again"
}
