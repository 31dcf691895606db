internal import CommandSupport
internal import StrictJSON

/// The interval and the command of automatic backups.
struct BackupTiming {
    let isWeekly: Bool
    /// The program and its arguments.
    let command: [String]

    private static let unit = "slate-backup"
    private static let agent = "satchel.slate-backup"

    /// Returns the steps that set it up.
    ///
    /// - Throws: 64 where nothing tells where the files lie; 74 where the table of cron cannot be read.
    func plan(_ scheduler: Scheduler) throws(CommandFailure) -> SchedulePlan {
        switch scheduler {
        case .systemd: try systemd()
        case .cron: SchedulePlan(table: try CronTable.read().filter { !CronTable.isOwn($0) } + [CronTable.line(self)])
        case .launchd: try launchd()
        case .none: SchedulePlan()
        }
    }

    /// Returns the steps that remove it.
    static func removal(_ scheduler: Scheduler) throws(CommandFailure) -> SchedulePlan {
        let nothing = BackupTiming(isWeekly: false, command: [])
        var plan = SchedulePlan()
        switch scheduler {
        case .systemd:
            plan.files = try nothing.systemd().files.filter { OutputFile($0.path).isTaken }
            guard !plan.files.isEmpty else { return plan }
            plan.commandsBefore = [["systemctl", "--user", "disable", "--now", "\(unit).timer"]]
            plan.commands = [["systemctl", "--user", "daemon-reload"]]
        case .cron:
            let lines = try CronTable.read()
            if lines.contains(where: CronTable.isOwn) { plan.table = lines.filter { !CronTable.isOwn($0) } }
        case .launchd:
            plan.files = try nothing.launchd().files.filter { OutputFile($0.path).isTaken }
            if !plan.files.isEmpty { plan.commandsBefore = [["launchctl", "bootout", "\(domain)/\(agent)"]] }
        case .none: break
        }
        return plan
    }

    // MARK: systemd

    private func systemd() throws(CommandFailure) -> SchedulePlan {
        guard let settings = OtherProgram.settings else {
            throw CommandFailure(.usage, Messages.noTimerPlace)
        }
        let folder = "\(settings)/systemd/user"
        let service = """
            # \(ScheduleFile.mark); backup schedule --off removes it.
            [Unit]
            Description=Back up Slate, prove the backup, and prune old ones
            Documentation=man:slate-backup(1)

            [Service]
            Type=oneshot
            # Warnings are in the journal, and no failure.
            SuccessExitStatus=3
            ExecStart=\(command.map(Self.systemdWord).joined(separator: " "))
            TimeoutStartSec=1h
            Nice=10
            IOSchedulingClass=idle
            UMask=0077

            """
        let timer = """
            # \(ScheduleFile.mark); backup schedule --off removes it.
            [Unit]
            Description=Back up Slate \(isWeekly ? "every week" : "every day")

            [Timer]
            OnCalendar=\(isWeekly ? "weekly" : "daily")
            # A run that was missed while the machine was off is made up for.
            Persistent=true
            RandomizedDelaySec=30min

            [Install]
            WantedBy=timers.target

            """
        return SchedulePlan(
            files: [
                ScheduleFile(path: "\(folder)/\(Self.unit).service", text: service),
                ScheduleFile(path: "\(folder)/\(Self.unit).timer", text: timer),
            ],
            commands: [
                ["systemctl", "--user", "daemon-reload"],
                ["systemctl", "--user", "enable", "--now", "\(Self.unit).timer"],
            ]
        )
    }

    /// Returns a word as systemd reads it.
    private static func systemdWord(_ word: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            switch scalar {
            case "%", "$": text.append(scalar)
            case "\"", "\\": text.append("\\")
            default: break
            }
            text.append(scalar)
        }
        return "\"\(String(text))\""
    }

    // MARK: launchd

    private static var domain: String { "gui/\(OtherProgram.run(["id", "-u"]).output.oneLine)" }

    private func launchd() throws(CommandFailure) -> SchedulePlan {
        guard let home = OtherProgram.home else {
            throw CommandFailure(.usage, Messages.noAgentPlace)
        }
        let path = "\(home)/Library/LaunchAgents/\(Self.agent).plist"
        let words = command.map { "        <string>\(Self.xml($0))</string>\n" }.joined()
        let weekday = isWeekly ? "        <key>Weekday</key><integer>1</integer>\n" : ""
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- \(ScheduleFile.mark); backup schedule, with the option off, removes it. -->
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key><string>\(Self.agent)</string>
                <key>ProgramArguments</key>
                <array>
            \(words)    </array>
                <key>StartCalendarInterval</key>
                <dict>
            \(weekday)        <key>Hour</key><integer>3</integer>
                    <key>Minute</key><integer>15</integer>
                </dict>
                <key>Umask</key><integer>63</integer>
            </dict>
            </plist>

            """
        return SchedulePlan(
            files: [ScheduleFile(path: path, text: text)],
            commands: [["launchctl", "bootstrap", Self.domain, path]],
            commandsBefore: OutputFile(path).isTaken ? [["launchctl", "bootout", "\(Self.domain)/\(Self.agent)"]] : []
        )
    }

    private static func xml(_ text: String) -> String {
        text.replacingScalar("&", with: "&amp;").replacingScalar("<", with: "&lt;").replacingScalar(">", with: "&gt;")
    }
}
