internal import AppList
internal import FileSystem
internal import RecordStore
internal import StrictJSON

/// Says what a file seems to be that a reader of JSON refuses at its first character.
enum FileGuess {
    /// Returns a diagnostic that names what the file seems to be; the diagnostic itself where nothing is known of it.
    static func explaining(_ diagnostic: Diagnostic) -> Diagnostic {
        guard isAtBeginning(diagnostic), let path = diagnostic.file, let head = try? InputFile.head(of: path),
            let found = store(head, path) ?? pack(head, path)
                ?? description(of: head).map({ $0.kind + way(on: $0, path) })
        else { return diagnostic }
        return Diagnostic(
            diagnostic.severity,
            code: diagnostic.code,
            message: "this is not JSON; it looks like \(found)",
            file: path,
            position: diagnostic.position
        )
    }

    /// Tells whether a reader of JSON stopped at the first value.
    private static func isAtBeginning(_ diagnostic: Diagnostic) -> Bool {
        switch diagnostic.code {
        case "format.not-json": true
        // A table whose first column is a text in quotes.
        case "json.trailing": diagnostic.position?.line == 1
        default: diagnostic.code.hasPrefix("json.") && (diagnostic.position?.offset ?? .max) <= 3
        }
    }

    /// Returns what to do with a file, as the end of a sentence.
    private static func way(on found: (kind: String, command: String?), _ path: String) -> String {
        if let command = found.command { return ": \(command) \(path)" }
        let isWorkout = workouts.contains { found.kind.hasSuffix($0) }
        let hint = isWorkout ? "; of workouts bzpack convert reads those of Zwift, .zwo" : ""
        return ", which no command here reads\(hint)"
    }

    /// The ends of the kinds that are workouts in the forms of other programs.
    private static let workouts = [".mrc)", "FIT file", "<gpx>", "<TrainingCenterDatabase>"]

    /// Returns which app's store a file is, with the commands that look into it and take one record of it; nil for any
    /// other file.
    private static func store(_ head: [UInt8], _ path: String) -> String? {
        let sqlite = Array("SQLite format 3\0".utf8)
        guard head.starts(with: sqlite), let app = AppStores.all.app(markedIn: head),
            let (title, program, list) = stores[app]
        else { return nil }
        let path = ShellText.quoted(path)
        return "a store of \(title): \(program) \(list) --store \(path) lists what it has, \(program) restore \(path) "
            + "NAME takes one record of it"
    }

    /// Returns the command that takes a pack of sessions apart; nil for any other file.
    private static func pack(_ head: [UInt8], _ path: String) -> String? {
        guard head.starts(with: Array("PK\u{3}\u{4}".utf8)), path.lowercased().hasSuffix(".bzpack") else { return nil }
        let command = "bzpack unpack \(ShellText.quoted(path)) --output FOLDER"
        return "a pack of sessions: take its files out first, with \(command)"
    }

    private static let stores: [AppID: (title: String, program: String, list: String)] = [
        .bztimer: ("BZ Timer", "bzpack", "list"), .tracker: ("Time Tracker", "tracker-export", "entries"),
        .study: ("Study Timer", "tracker-export study", "sessions"),
    ]

    /// Returns the kind of file that its first bytes show, and the command that reads it; nil where they show none.
    static func description(of head: [UInt8]) -> (kind: String, command: String?)? {
        if let (_, kind, command) = magic.first(where: { head.starts(with: $0.bytes) }) { return (kind, command) }
        if head.dropFirst(8).starts(with: ".FIT".utf8) { return ("a FIT file", nil) }
        // A tar archive begins with the name of its first file.
        if head.dropFirst(257).starts(with: "ustar".utf8) {
            return ("a tar archive", "unpack it first, with tar -xf")
        }
        // The last character may be cut through.
        let text = String(decoding: head.prefix(508), as: UTF8.self).trimmingPrefix("\u{FEFF}")
        let start = text.drop(while: \.isWhitespace)
        for (beginning, kind, command) in beginnings where start.hasPrefix(beginning) { return (kind, command) }
        if start.hasPrefix("<") { return markup(start) }
        return table(start)
    }

    private static let magic: [(bytes: [UInt8], kind: String, command: String?)] = [
        (Array("SQLite format 3\0".utf8), "an SQLite database", nil),
        (Array("PK\u{3}\u{4}".utf8), "a zip archive", "unpack it first, with unzip"),
        (Array("%PDF".utf8), "a PDF document", nil),
        ([0x89, 0x50, 0x4E, 0x47], "a picture", nil),
        ([0xFF, 0xD8, 0xFF], "a picture", nil),
        ([0x7F, 0x45, 0x4C, 0x46], "a program", nil),
        (Array("bplist".utf8), "a property list of an iPhone", "satchel timer presets import"),
        (Array("age-encryption.org".utf8), "a file that age encrypted: decrypt it first with age -d", nil),
    ]

    private static let beginnings: [(String, String, String?)] = [
        ("BEGIN:VCALENDAR", "a calendar", "satchel time import"),
        ("name:", "a session as text", "satchel timer new --file"),
        ("[COURSE HEADER]", "a workout of a bicycle trainer (.erg or .mrc)", nil),
    ]

    private static func markup(_ text: Substring) -> (String, String?) {
        if text.contains("<HealthData") { return ("an export of Apple Health", "satchel time import") }
        if text.contains("<workout_file") { return ("a workout of Zwift", "satchel timer convert") }
        if text.contains("<plist") { return ("a property list", "satchel timer presets import") }
        let lowered = text.lowercased()
        if lowered.hasPrefix("<!doctype html") || lowered.hasPrefix("<html") { return ("a web page", nil) }
        if text.contains("<tracker-export") { return ("an export of Time Tracker", "satchel time import") }
        return (root(of: text).map { "XML with the root element <\($0)>" } ?? "XML", nil)
    }

    /// Returns the name of the first element; nil where it does not begin in the text.
    private static func root(of text: Substring) -> String? {
        for part in text.split(separator: "<") {
            guard let first = part.first, first.isLetter || first == "_" else { continue }
            return String(part.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }.prefix(60))
        }
        return nil
    }

    /// Columns that a program's reports have and others' do not.
    private static let reports: [(columns: [String], name: String)] = [
        (["user", "email", "client", "project", "task", "description", "billable", "start date"], "a Toggl report"),
        (["start date", "duration (decimal)"], "a Clockify report"),
        (["date", "client", "project", "project code"], "a Harvest report"),
        (["date", "from", "to", "customer", "activity"], "a Kimai report"),
        (["starttime", "endtime", "durationseconds"], "a table of Time Tracker"),
    ]

    private static func table(_ text: Substring) -> (String, String?)? {
        let line = text.prefix { !$0.isNewline }.lowercased()
        guard
            let separator = [",", ";", "\t"].max(by: {
                line.split(separator: $0).count < line.split(separator: $1).count
            })
        else { return nil }
        let columns = line.split(separator: separator).map { $0.filter { $0 != "\"" } }
        guard columns.count >= 2, columns.allSatisfy({ $0.first?.isLetter == true || $0.isEmpty }) else { return nil }
        let names = Set(columns)
        if names.isSuperset(of: ["type", "local number", "message"]) { return ("a table of a FIT file", nil) }
        let report = reports.first { $0.columns.allSatisfy { column in names.contains { $0.hasPrefix(column) } } }
        return (report?.name ?? "a table (CSV)", "satchel time import")
    }
}
