internal import CommandSupport
internal import FileSystem

/// The sentences that foldersync prints, command by command, to be read as one text.
///
/// Words of lists, tables and values are beside them: `RecordWords`, `ValueWords` and `IssueWords`. Commands are named as
/// those of foldersync; the standard streams call them as the program was called.
enum Messages {
    static let nothingWasChanged = "nothing was changed"

    // MARK: - Which folder, store, record and device

    static let nothingJoined =
        "this device has joined no folder: foldersync init FOLDER --store PATH begins one, join FOLDER --store PATH joins "
        + "one, also where the list of joined folders was lost"
    static func notJoined(_ path: String, known: String) -> String {
        "this device has not joined \(path), but \(known); foldersync join \(ShellText.quoted(path)) joins it, also where one of these was "
            + "moved there"
    }
    static func severalFolders(_ count: Int, _ names: String) -> String {
        "this device has joined \(count) folders: name one of \(names)"
    }
    static func tooManyWords(_ count: Int) -> String { "expected a folder and a record, found \(count) arguments" }
    static func noStore(of app: String?, in folders: String) -> String {
        "no store\(app.map { " of \($0)" } ?? "") takes part in \(folders): foldersync join adds one"
    }
    static func lostStore(_ folder: String, _ app: String, _ path: String) -> String {
        "a lost store comes back with foldersync join \(ShellText.quoted(folder)) --create \(ShellText.quoted("\(app)=\(path)"))"
    }
    static func severalStores(_ names: String) -> String {
        "that may be one of several stores: name the folder and --app (\(names))"
    }
    static let noConfigFile = "--config needs a file"
    static let noHome = "neither XDG_STATE_HOME nor HOME is set: name the file with --config"
    static func keptIn(_ path: String) -> String { "what this device has joined is kept in \(path)" }
    static func workingOn(_ store: String, _ app: String, _ folder: String) -> String {
        "working on \(store) of \(app), in \(folder)"
    }
    static func damagedRegistry(_ path: String) -> String {
        "the list of what this device has joined is damaged: move \(path) away, then run foldersync join FOLDER --store PATH for "
            + "each store: they go on as the same device"
    }
    static func damagedFolderFile(_ reason: String) -> String { "a file of the folder cannot be used: \(reason)" }
    static func damagedState(_ reason: String) -> String { "what is known of the records is damaged: \(reason)" }
    static let mergeSpacesTakesThis = "; foldersync merge-spaces takes this device there as well"
    static func undeclared(_ list: String) -> String {
        "the app's declaration does not have \(list): what is there is not synchronised and stays in this store alone; "
            + "foldersync declare adds it, foldersync join FOLDER --app FILE shares that"
    }
    static func unsynced(_ list: String) -> String {
        "this program does not know \(list): what is there is not synchronised and stays in this store alone; see whether "
            + "there is a newer foldersync"
    }

    // MARK: - init and join

    static let noStoreNamed = "name the stores that take part with --store, or create some with --create"
    static func joinedAlready(_ path: String) -> String { "this device has joined \(path) already: join adds stores" }
    static func insideSharedFolder(_ path: String, _ folder: String) -> String {
        "\(path) lies in the shared folder \(folder): choose a folder outside of it; foldersync join \(ShellText.quoted(folder)) joins "
            + "that one"
    }
    static func otherSpace(_ path: String, _ found: String, _ joined: String) -> String {
        "\(path) holds the space \(found) now, and this device joined \(joined) there: see whether the right folder is "
            + "mounted; foldersync leave ends the old one"
    }
    static func copyOfFolder(_ path: String, _ other: String) -> String {
        "\(path) is a copy of \(other), which this device has joined: a device takes part in one of them; to go on in the copy, "
            + "move the other one away and join again; \(nothingWasChanged)"
    }
    static func joined(_ verb: String, _ path: String, _ device: String) -> String {
        "\(verb) \(path), as \"\(device)\"."
    }
    static func upgradeQuestion(_ path: String, _ app: String, _ old: Int, _ new: Int) -> String {
        "\(path) has version \(old) of \(app)'s tables, and sync needs version \(new). Upgrade it, and keep a copy first?"
    }
    static func upgraded(_ path: String, _ version: Int, _ copy: String) -> String {
        "Upgraded \(path) to version \(version). The database as it was is kept in \(copy)."
    }
    static func sameName(_ folder: String, _ name: String, _ free: String) -> String {
        "another device in \(folder) is called \"\(name)\" as well: foldersync devices rename \(ShellText.quoted(free)) tells them apart"
    }
    static func calledAlready(_ name: String) -> String {
        "this device is called \"\(name)\" already; foldersync devices rename changes that"
    }
    static func nameTaken(_ name: String, _ free: String) -> String {
        "another device in this folder is called \"\(name)\": choose another name, such as --name \(ShellText.quoted(free)); "
            + nothingWasChanged
    }
    static func storeInsideFolder(_ path: String) -> String {
        "\(path) lies in the shared folder, where other devices would write to the same file: choose a place outside of it; "
            + nothingWasChanged
    }
    static func twoStores(_ path: String, _ other: String, _ app: String) -> String {
        "\(path) and \(other) are both stores of \(app): one of each app can take part in a folder; \(nothingWasChanged)"
    }
    static func notDeclared(_ app: String, _ known: String) -> String {
        "\(app) is not declared: name its declaration with --app, or one of \(known)"
    }
    static func newStoreExpected(_ known: String, found: String) -> String {
        "expected APP=PATH with one of \(known) or a declared app, found \"\(found)\""
    }
    static func storeIsThere(_ path: String, _ app: String) -> String {
        "\(path) is a store of \(app) already: name it with --store instead of --create; \(nothingWasChanged)"
    }
    static let foreignStore =
        "the file is no store of BZ Timer, Slate, Time Tracker or Study Timer; name the declaration of another app's "
        + "database with --app, which foldersync declare writes"
    static func olderApp(_ app: String, _ lack: String) -> String {
        "\(lack), which the folder's declaration of \(app) names: update the app on this device, open it once, and join again. "
            + "Where this is another app's database, name its declaration with --app"
    }
    static func severalDeclarations(_ path: String, _ names: String) -> String {
        "\(path) may be of several apps: name one with --app (\(names))"
    }

    // MARK: - declare

    static func noIdentifier(_ id: String, reserved: String) -> String {
        "\"\(id)\" is no identifier of an app: 2 to 32 of a-z, 0-9 and -, a letter first, and none of \(reserved)"
    }
    static func noTable(_ database: String) -> String { "no table of \(database) can take part" }

    // MARK: - leave

    static func leave(_ path: String, _ stores: String) -> String { "Leave \(path) with \(stores)?" }
    static let noStoreToLeave = "no store"
    static func left(_ path: String, _ store: String, isDryRun: Bool, isStoreGone: Bool, unpublished: String?) -> String
    {
        let verb = isDryRun ? "Would leave" : "Left"
        let alone = unpublished.map { "; what is not published stays on this device alone: \($0)" } ?? ""
        return "\(verb) \(path) with \(store), which \(isStoreGone ? "is gone" : "keeps its records")\(alone)."
    }
    static func leavingUntold(_ folder: String, _ device: String) -> String {
        "warning: \(folder) takes nothing now, so that the other devices do not see it: run foldersync devices retire"
            + " \(ShellText.quoted(device)) on one of them"
    }
    static func unpublishedOnLeaving(_ what: String) -> String {
        "this is not published, and would stay on this device alone: \(what); it did not leave: --unpublished leaves all the "
            + "same"
    }
    static let unknownChanges = "whatever was changed in the store since the last sync"
    static func cannotPutAside(_ file: String, _ reason: String) -> String {
        "cannot rename \(file): \(reason); remove it, to join anew"
    }

    // MARK: - sync

    static func badCount(_ found: Int) -> String {
        "--accept-mass-change is the number that sync names, found \(found)"
    }
    static let changesToFile = "--output is for the document; --changes prints a report, so give one of them."
    static let contradictingDecisions = "--accept-mass-change and --discard-local contradict each other"
    static func acceptQuestion(_ count: Int) -> String {
        "Type \(count) to accept this on all devices, or press Return to stop: "
    }
    static let inStep = "in step, nothing to do"
    static func wrote(_ records: String, isDryRun: Bool) -> String {
        "\(isDryRun ? "would write" : "wrote") \(records) to the store"
    }
    static func outbox(_ count: Int, _ reason: String) -> String {
        "\(Words.count(count, "change")) cannot be published, kept until the folder takes \(count == 1 ? "it" : "them"): "
            + reason
    }
    static func conflicts(_ count: Int) -> String {
        "\(Words.count(count, "conflict")) \(count == 1 ? "stands" : "stand"): foldersync conflicts lists them"
    }
    static func keptBack(_ count: Int, _ list: String, isDryRun: Bool) -> String {
        let what = count == 1 ? "what it belongs to" : "what they belong to"
        return
            "\(isDryRun ? "would block" : "blocked") \(Words.count(count, "record")), as \(what) was deleted: \(list)"
    }
    static func unfitDeclaration(_ declaration: String, _ path: String, _ misfit: String) -> String {
        "the declaration \(declaration) does not fit \(path): \(misfit); where the app is older on this device, update it first"
    }
    static func dropped(_ count: Int, _ list: String, file: String?) -> String {
        let what = "\(Words.count(count, "change")) of this store"
        return file.map { "dropped \(what), which \($0) keeps: \(list)" } ?? "would drop \(what): \(list)"
    }
    static func published(_ count: Int, isLate: Bool = false, isDryRun: Bool) -> String {
        "\(isDryRun ? "would publish" : "published") \(Words.count(count, "record"))\(isLate ? " that waited" : ""): "
    }
    static func toPublish(_ count: Int) -> String { "\(Words.count(count, "record")) to publish: " }
    static func took(_ count: Int, _ device: String, isDryRun: Bool) -> String {
        "\(isDryRun ? "would take" : "took") \(Words.count(count, "record")) from \(device): "
    }
    static func kept(_ names: String, _ device: String, changed members: String? = nil, isDryRun: Bool) -> String {
        let change = members.map { "changed otherwise\($0)" } ?? "deleted"
        return "\(isDryRun ? "would keep" : "kept") \(names), which \(device) \(change)"
    }

    /// The end of a line on a record that a person kept in a conflict.
    static let notDeleted = " (not deleted)"

    // MARK: - watch

    static func badInterval(_ found: Int) -> String { "--interval is 1 to 86400 seconds, found \(found)" }
    static func watching(_ interval: Int) -> String {
        "watching from now on, a look every \(Words.count(interval, "second")):"
    }
    static func unwatched(_ path: String, _ reason: String, _ interval: Int) -> String {
        "\(path) cannot be watched (\(reason)): foldersync looks at it every \(interval) seconds"
    }
    static func onNetwork(_ path: String, _ type: String, _ interval: Int) -> String {
        "\(path) is on a file system of the kind \(type), which does not tell of other machines' changes: foldersync looks at "
            + "it every \(interval) seconds"
    }
    static func worksAgain(_ subject: String) -> String { "\(subject): works again" }

    // MARK: - status

    static func store(_ app: String, _ store: String, _ folder: String, _ records: String, _ publishing: String)
        -> String
    {
        "\(app), \(store) in \(folder): \(records), \(publishing)"
    }
    static func nextSyncStops(_ reason: String) -> String { "The next sync stops: \(reason)" }
    static let rejectedWay =
        "Change each so that the database takes it, here or on the device that it came from, or delete it on all devices: "
        + "foldersync forget --record NAME"
    static func folderFault(_ reason: String) -> String { "The folder cannot be used now: \(reason)" }
    static func clockFault(_ reason: String) -> String { "The clock of this device was or is wrong: \(reason)" }
    static let changesUnknown = "the next sync finds out what was changed since the last"
    static func changedAndUnpublished(_ count: Int) -> String {
        "\(Words.count(count, "record")) changed and not published yet"
    }
    static func keptForFolder(_ count: Int) -> String {
        "\(Words.count(count, "change")) kept until the folder takes them"
    }
    static let allPublished = "all published"
    static func notReceived(_ count: Int) -> String { "\(Words.count(count, "change")) of it not yet received" }
    static func notTakenIn(_ count: Int) -> String { "\(Words.count(count, "change")) of it not yet taken in" }
    static func notTakenIn(_ count: Int, of device: String) -> String {
        "\(Words.count(count, "change")) of \(device) not yet taken in: run sync"
    }
    static func heldBack(_ count: Int) -> String {
        "\(Words.count(count, "record")) blocked until what \(count == 1 ? "it belongs" : "they belong") to returns"
    }
    static func notUsable(_ count: Int) -> String { "\(Words.count(count, "change")) of it cannot be used yet" }
    static func notConfirmed(_ count: Int) -> String { "\(Words.count(count, "change")) not yet confirmed" }
    static let aloneUpToDate = "This device is up to date; no other device has joined yet."
    static let othersGone = "This device is up to date; the others have left or are retired."
    static func allUpToDate(_ count: Int) -> String { "All \(count) devices are up to date." }
    static func notChecked(_ app: String) -> String { "\(app) could not be checked" }
    static func unreadFiles(_ count: Int) -> String { "\(Words.count(count, "file")) that cannot be read" }
    static func unusableFolder(_ path: String) -> String { "the folder \(path) cannot be used now" }
    static func stopsToDecide(_ app: String) -> String { "the next sync of \(app) stops for you to decide" }
    static func unknownUntilSync(_ app: String) -> String { "what changed in \(app) is not known before the next sync" }
    static func notSynced(_ count: Int, _ app: String) -> String {
        "\(Words.count(count, "changed record")) of \(app) not synced yet"
    }
    static func notPublished(_ count: Int) -> String { "\(Words.count(count, "change")) not published yet" }
    static func rejected(_ count: Int) -> String { "\(Words.count(count, "record")) that this store rejects" }
    static func cannotSync(_ count: Int) -> String { "\(Words.count(count, "record")) of this store that cannot sync" }
    static func notReceived(_ count: Int, from device: String) -> String {
        "\(Words.count(count, "change")) from \(device) not yet received"
    }
    static func notUsable(_ count: Int, of device: String) -> String {
        "\(Words.count(count, "change")) of \(device) cannot be used yet"
    }
    static func notConfirmed(_ count: Int, by device: String, _ since: String) -> String {
        "\(Words.count(count, "change")) not yet confirmed by \(device)\(since)"
    }
    static func toDecide(_ count: Int) -> String { "\(Words.count(count, "conflict")) to decide" }

    // MARK: - conflicts and resolve

    static let noConflicts = "No conflicts.\n"
    static let noConflictsNamed = "No conflicts of that name.\n"
    static let noTerminal =
        "there is no terminal to ask at: say what to take with --choose, --value or --all; " + nothingWasChanged
    static let contradictingChoices = "--choose, --value and --all exclude each other; " + nothingWasChanged
    static func choiceExpected(found: String) -> String {
        "expected shown, other, removed, the number of a choice or a value as JSON, found \(found); --value takes a text"
    }
    static func severalConflicts(_ count: Int, _ names: String) -> String {
        "that fits \(count) conflicts: name the record and --member (\(names))"
    }
    static func noRecordInConflict(_ name: String, _ known: [String]) -> String {
        let more = known.count > 8 ? " and \(known.count - 8) more" : ""
        return "no record in conflict is called \"\(name)\"; there \(known.count == 1 ? "is" : "are") "
            + "\(known.prefix(8).joined(separator: ", "))\(more)"
    }
    static let noSuchChoice = "There is no such choice.\n"
    static func valueQuestion(_ count: Int) -> String {
        "Keep \(count == 2 ? "1 or 2" : "1 to \(count)"), (o)ther: type a value, (s)kip, (q)uit?"
    }
    static let removalQuestion = "(k)eep it, (r)emove it, (s)kip, (q)uit?"
    static let keepQuestion = "(k)eep what is shown, (s)kip, (q)uit?"
    static func decided(_ what: String, isDryRun: Bool) -> String { "\(isDryRun ? "would decide" : "decided") \(what)" }
    static func overtaken(_ heading: String) -> String { "an edit in the store decides it: \(heading)" }
    static func changedMeanwhile(_ heading: String) -> String { "not decided, as its values have changed: \(heading)" }
    static func refused(_ heading: String, _ reason: String) -> String { "not decided: \(heading): \(reason)" }
    static func leftAsItIs(_ heading: String, _ way: String) -> String { "left as it is: \(heading)\(way)" }
    static func choices(_ count: Int) -> String { "; --choose takes 1 to \(count), shown or a value" }
    static let removalChoices = "; --choose shown keeps it, --choose removed lets it go"
    static let onlyChoice = "; --choose shown takes it as it is shown"

    // MARK: - log, show, restore

    static let recordOption = "; a record is named with --record COLLECTION/KEY, as show --format json has them"
    static func badLimit(_ found: Int) -> String { "--limit is at least 1, found \(found)" }
    static func unknownRecord(_ collection: String, _ key: String) -> String {
        "no record \(collection)/\(key) is known, nor any change of one in the files of the folder"
    }
    static func keyExpected(found: String) -> String {
        "expected COLLECTION/KEY, such as tasks/task-2, found \"\(found)\""
    }
    static let noChanges = "No changes.\n"
    static let clockAhead = " (its clock was ahead)"
    static func datedAhead(_ device: String, _ count: Int, _ moment: String) -> String {
        let edits = count == 1 ? "1 of these edits is" : "\(count) of these edits are"
        return "  uncertain   \(edits) dated after now, as the clock of \(device) was ahead: "
            + "\(count == 1 ? "it" : "they") may be older than \(moment)"
    }
    static func beforeHistory(_ moment: String, start: String?) -> String {
        "the history does not reach back to \(moment): \(start.map { "it begins at \($0)" } ?? "there is none yet")"
    }
    static func nothingDiffers(_ app: String, _ moment: String) -> String {
        "\(app): nothing is different from \(moment).\n"
    }
    static func differing(_ app: String, _ moment: String, _ count: Int) -> String {
        "\(app), back to \(moment): \(Words.count(count, "record")) \(count == 1 ? "differs" : "differ")"
    }
    static func staysAhead(_ record: String, isEnd: Bool) -> String {
        "  stays       \(isEnd ? "the end of " : "")\(record), as what is over stays over"
    }
    static func decidedByRestore(_ conflict: String) -> String {
        "  decides     the conflict of \(conflict); taking the restore back does not open it again"
    }
    static func staysGone(_ target: String, _ record: String, _ member: String, isWaiting: Bool) -> String {
        isWaiting
            ? "  stays gone  \(target): \(record) comes back only once it does (\(member))"
            : "  stays gone  \(target), to which \(record) referred (\(member))"
    }
    static func folderOrRecord(_ word: String, _ folder: String) -> String {
        let path = ShellText.quoted(folder)
        return
            "\(ShellText.quoted(word)) is a shared folder and the name of a record: \(path) means the folder, \(path) "
            + "\(ShellText.quoted(word)) the record; \(nothingWasChanged)"
    }
    static let nothingRestored = "Nothing was changed."
    static func restoreQuestion(_ what: String, _ moment: String) -> String {
        "Make \(what) what it was at \(moment), on all devices?"
    }
    static func restored(_ what: String, _ moment: String, _ undo: String) -> String {
        "\(what) is what it was at \(moment).\(undo)"
    }
    static func notRestored(_ what: String, _ moment: String, _ reasons: String, _ undo: String) -> String {
        "\(what) is not what it was at \(moment): \(reasons).\(undo)"
    }
    static func undoRestore(_ command: String) -> String { "To take it back: \(command)" }

    // MARK: - devices

    static func deviceName(found: String) -> String {
        "a device's name has 1 to 60 characters that can be seen; found \"\(found)\""
    }
    static func noDevice(_ name: String, _ known: String) -> String { "there is no device \"\(name)\", but \(known)" }
    static func severalDevices(_ count: Int, _ name: String, _ known: String) -> String {
        "\(count) devices are called \"\(name)\": name one of \(known)"
    }
    static func renameExpected(_ count: Int) -> String { "expected a device and a name, found \(count) arguments" }
    static func deviceNameTaken(_ id: String, _ name: String, _ free: String) -> String {
        "the device \(id) is called \"\(name)\": choose another name, such as \"\(free)\"; \(nothingWasChanged)"
    }
    static func renamed(_ id: String, _ name: String) -> String {
        "The device \(id) is called \"\(name)\" from now on."
    }
    static let ownRetirement = "this is that device: foldersync leave ends its part in a folder"
    static func retired(_ name: String, isUndone: Bool) -> String {
        "\"\(name)\" is \(isUndone ? "not retired" : "retired") from now on."
    }
    static func retiredElsewhere(_ name: String, by author: String) -> String {
        "\"\(name)\" was retired on \"\(author)\": foldersync devices retire --undo \(ShellText.quoted(name)) there takes that "
            + "back; \(nothingWasChanged)"
    }
    static func stillHasTheKey(_ name: String) -> String {
        " It still has the key: foldersync devices remove \(ShellText.quoted(name)) replaces that."
    }
    static func plainFiles(_ count: Int) -> String {
        "\(Words.count(count, "file")) from before the folder was encrypted can still be read by whoever carries it. They go once"
            + " every device has run foldersync join on it with the passphrase, or is retired."
    }
    static func samePassphrase(orWithout isOption: Bool) -> String {
        let other = isOption ? ", or leave --new-passphrase out" : ""
        return "this passphrase opens the folder already: choose another one\(other); nothing was changed"
    }
    static func withKey(_ name: String, _ state: String) -> String {
        "\"\(name)\" \(state), and gets the new key: foldersync devices remove \(ShellText.quoted(name)) keeps it from reading on."
    }
    static func withoutKey(_ name: String) -> String {
        "warning: \(name) does not get the new key, as the folder has no note of it; where that device syncs by itself, run"
            + " foldersync key unlock there"
    }
    static func retirementUntold(_ name: String, _ folder: String) -> String {
        "warning: \(name) is not told of it in \(folder)"
    }

    // MARK: - inbox

    static func noFolder(_ path: String) -> String { "there is no folder \(path); \(nothingWasChanged)" }
    static func inboxOfOther(_ path: String, _ device: String, _ folder: String) -> String {
        "\(path) is the inbox of \"\(device)\" in \(folder) already; \(nothingWasChanged)"
    }
    static func inboxOfThisDevice(_ name: String) -> String {
        "\"\(name)\" is this device: --device is the name of the one that exports; \(nothingWasChanged)"
    }
    static func inboxInFolder(_ path: String) -> String {
        "\(path) lies in the shared folder; choose one outside of it"
    }
    static func inboxAdded(_ device: String, _ path: String) -> String {
        "Exports of \"\(device)\" in \(path) are taken from now on."
    }
    static let publishedMissing = "files of this device were missing in the folder; what they held is published again"
    static func freePlan(_ count: Int, _ store: String) -> String {
        "the new store is on the Free plan, which keeps 30 days of history: the next run that is added here removes "
            + "\(Words.count(count, "older entry")) from this device alone; on Pro it keeps them: "
            + "bzpack settings set isProUser true --store \(ShellText.quoted(store))"
    }
    static func formerInbox(_ device: String) -> String {
        "this store took exports of \"\(device)\", and no inbox of it is known any more; name its folder: "
            + "foldersync inbox add FOLDER --device \(ShellText.quoted(device))"
    }
    static func inboxOfSame(_ path: String, _ name: String, _ free: String) -> String {
        "\(path) is an inbox of \"\(name)\": --same-device takes the exports of both for one device's, and what one lacks for "
            + "deleted there; another device needs another name, such as \"\(free)\"; \(nothingWasChanged)"
    }
    static func inboxNamedLike(_ name: String, _ id: String, _ free: String) -> String {
        "\"\(name)\" is the device \(id), which takes part itself or by its exports elsewhere: choose another name, such as "
            + "\"\(free)\"; \(nothingWasChanged)"
    }
    static func inboxRemoved(_ device: String, _ path: String) -> String {
        "Exports of \"\(device)\" in \(path) are taken no more."
    }
    static func lastInboxRemoved(_ device: String) -> String {
        "If \"\(device)\" is gone, foldersync devices retire \(ShellText.quoted(device)) lets status wait for it no longer."
    }
    static func notInFolder(_ store: String, _ folder: String, _ known: String) -> String {
        "\(store) takes no part in \(folder), but \(known)"
    }
    static let noInboxes = "There are no inboxes: foldersync inbox add makes one.\n"
    static func noInbox(_ path: String, _ known: String) -> String {
        "\(path) is no inbox\(known.isEmpty ? ": there are none" : ", but \(known)")"
    }
    static func importable(_ path: String, _ app: String) -> String {
        "wrote \(path), which \(app) on the device can import"
    }
    static func notTaken(_ file: String, _ reason: String) -> String { "\(file) is not taken: \(reason)" }
    static func wouldTake(_ file: String) -> String { "would take \(file)" }
    static func tookExport(_ file: String, _ count: Int) -> String {
        "took \(file): \(Words.count(count, "record")) changed there"
    }
    static func olderExport(_ file: String) -> String {
        "\(file) is older than an export that was taken before; it changes nothing"
    }
    static func nothingNew(_ file: String) -> String { "\(file) has nothing new" }
    static let heldForNewer = "held until this program is a newer one"
    static let heldForeign = "not taken"
    static func toImport(_ device: String, _ file: String) -> String { "\(device) has yet to import \(file)." }
    static func heldForYou(_ name: String) -> String { "\(name) waits for you" }
    static let heldUnusable = "cannot be used"
    static func inboxGone(_ path: String) -> String {
        "found no folder \(path), expected the one in which the exports arrive"
    }

    // MARK: - encrypt

    static func encryptedElsewhere(_ path: String) -> String {
        "\(path) is encrypted already, and this device has no key of it: foldersync join opens it; nothing was changed"
    }
    static func encryptedAlready(_ path: String) -> String { "\(path) is encrypted already. Nothing was changed." }
    static func encrypted(_ path: String, _ files: Int, isDryRun: Bool) -> String {
        let count = Words.count(files, "file")
        if isDryRun { return "\(path) would be encrypted: \(count). Nothing was changed." }
        return """
            \(path) is encrypted from now on: \(count).
            On every other device run foldersync join on the folder, with the passphrase or the recovery code. The plain files \
            stay until all devices have done so and synchronised, or are retired.
            """
    }

    // MARK: - verify, dump, merge-spaces

    static func notAsGiven(_ record: String) -> String { "not as it was given to the store: \(record)" }
    static func more(_ count: Int) -> String { "… and \(count) more" }
    static func sealedWithOldKey(_ count: Int) -> String {
        "\(Words.count(count, "file")) sealed with an old key after it was replaced, and not counted"
    }
    static func acceptedOldKey(_ count: Int, _ folder: String, isDryRun: Bool) -> String {
        "\(isDryRun ? "would take in" : "took in") \(Words.count(count, "file")) of \(folder) sealed with an old key"
    }
    static func evicted(_ count: Int) -> String {
        "\(Words.count(count, "entry")) that retention removed here are still on other devices, whose digest differs"
    }
    static func verified(_ files: Int, _ faults: Int, _ digest: String) -> String {
        "\(Words.count(files, "file")) sound, \(Words.count(faults, "fault")), digest \(digest)"
    }
    static let reportNeedsFile = "--format json prints a report: name a file for the state with --output"
    static func dumped(_ file: String, _ size: Int) -> String { "Wrote \(file), \(size) bytes." }
    static func mergedSpaces(_ path: String, _ space: String, isDryRun: Bool) -> String {
        "\(path) \(isDryRun ? "would go" : "goes") on as the space \(space)."
    }

    // MARK: - doctor

    static let notCheckable = "it cannot be checked"
    static let verifySaysMore = "foldersync verify says more"
    static func sound(_ files: Int) -> String { "\(Words.count(files, "file")) sound" }
    static func damaged(_ files: Int) -> String { Words.count(files, "damaged file") }
    static func waiting(_ files: Int) -> String {
        "\(Words.count(files, "file")) that \(files == 1 ? "waits" : "wait") for others"
    }
    static func tooNew(_ files: Int) -> String {
        "\(Words.count(files, "file")) that \(files == 1 ? "needs" : "need") a newer program"
    }
    static func withoutKey(_ keys: Int) -> String {
        "\(keys == 1 ? "a key" : "\(keys) keys") that this device lacks"
    }
    static func notDownloaded(_ files: Int) -> String {
        "\(Words.count(files, "file")) not downloaded"
    }
    static func gone(_ devices: Int) -> String {
        "changes of \(Words.count(devices, "device")) that no file holds"
    }
    static let beganApart = "devices that began apart"
    static func tooLarge(_ records: Int) -> String { "\(Words.count(records, "record")) too large to sync" }
    static func differing(_ records: Int) -> String {
        "\(Words.count(records, "record")) that differ from what was synced"
    }
    static let twoKeys = "two keys"
    static let rotateUnites = "foldersync key rotate on one device makes one of them"
    static let updateProgram = "update the program"
    static let unlockOpens = "wait for the key, or run foldersync key unlock"
    static let driveFetches = "let the cloud drive fetch them"
    static let mergeJoins = "foldersync merge-spaces joins them"
    static let repairRestores = "foldersync verify lists them, foldersync repair restores what this device can"
}
