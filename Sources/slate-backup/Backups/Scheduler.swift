internal import CommandSupport
internal import FileSystem
internal import StrictJSON

/// The program that starts a backup at its time.
enum Scheduler: String {
    /// A timer of the user's systemd.
    case systemd
    /// A line in the user's table of cron.
    case cron
    /// An agent of the user's launchd, on macOS.
    case launchd
    /// Nothing that this program could set up.
    case none

    /// The scheduler of this machine.
    static var present: Scheduler {
        #if os(macOS)
            return .launchd
        #else
            if OtherProgram.run(["systemctl", "--user", "show-environment"]).status == 0 { return .systemd }
            return OtherProgram.find("crontab") == nil ? .none : .cron
        #endif
    }
}

/// A file that a schedule writes.
struct ScheduleFile {
    let path: String
    let text: String
    /// The mark of files that this program wrote.
    static let mark = "Written by satchel to back up Slate"

    /// True if another program or a person wrote the file at the path.
    var isForeign: Bool {
        guard OutputFile(path).isTaken else { return false }
        guard let bytes = try? InputFile(reading: path, limit: 1 << 16).bytes else { return true }
        return !String(decoding: bytes, as: UTF8.self).contains(Self.mark)
    }
}

/// The steps that set a schedule up, or remove it.
struct SchedulePlan {
    /// Files to write, or to remove.
    var files: [ScheduleFile] = []
    /// Commands to run afterwards.
    var commands: [[String]] = []
    /// Commands to run before; they may fail, as where nothing was set up.
    var commandsBefore: [[String]] = []
    /// The lines of the user's table of cron; nil where it stays as it is.
    var table: [String]?

    /// True if there is nothing to do.
    var isEmpty: Bool { files.isEmpty && commands.isEmpty && table == nil }

    /// Returns the plan for people.
    ///
    /// - Parameter isOff: Whether the files are removed.
    func lines(isOff: Bool) -> [String] {
        var lines: [String] = commandsBefore.map { "run: \($0.joined(separator: " "))" }
        for file in files {
            lines.append("\(isOff ? "remove" : "write") \(file.path)\(isOff ? "" : ":")")
            if !isOff { lines += file.text.split(separator: "\n").map { "  \($0)" } }
        }
        if let table {
            let own = table.filter(CronTable.isOwn)
            lines += isOff ? ["remove the line from your crontab"] : ["add to your crontab:"] + own.map { "  \($0)" }
        }
        return lines + commands.map { "run: \($0.joined(separator: " "))" }
    }
}

/// The user's table of cron.
enum CronTable {
    /// The mark of lines that this program wrote.
    private static let mark = "# satchel: backup of Slate"

    static func isOwn(_ line: String) -> Bool { line.hasSuffix(mark) }

    /// Returns a line that runs a command at night.
    static func line(_ schedule: BackupTiming) -> String {
        let day = schedule.isWeekly ? "1" : "*"
        let command = schedule.command.map(ShellText.quoted).joined(separator: " ").replacingScalar("%", with: "\\%")
        return "15 3 * * \(day) umask 077; \(command) \(mark)"
    }

    /// Returns the lines that are there.
    ///
    /// - Throws: 74 where they cannot be read: an empty table in their place would lose them.
    static func read() throws(CommandFailure) -> [String] {
        let found = OtherProgram.run(["crontab", "-l"])
        if found.status == 0 {
            var lines = found.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last?.isEmpty == true { lines.removeLast() }
            return lines
        }
        guard found.errors.contains("no crontab") else {
            throw CommandFailure(.inputOutput, Messages.ended("crontab -l", found.status, found.errors.oneLine))
        }
        return []
    }

    /// Puts lines in the place of those that are there.
    static func write(_ lines: [String]) throws(CommandFailure) {
        let done = OtherProgram.run(["crontab", "-"], input: lines.map { "\($0)\n" }.joined())
        guard done.status == 0 else {
            throw CommandFailure(.inputOutput, Messages.ended("crontab", done.status, done.errors.oneLine))
        }
    }
}

extension String {
    /// The text without its line ends.
    var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
