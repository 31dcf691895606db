internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

extension Bzpack {
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make a new store.",
            discussion: "With --sample it holds a trainer's library on the Pro plan: one session, ready to be exported."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption

        @Flag(help: "Put a sample session, activities and history into the store, on the Pro plan.")
        var sample = false

        @Flag(help: "Start on the Pro plan.")
        var pro = false

        func run() throws {
            let path = try store.resolvedPath()
            let store = try store.writing(mustExist: false)
            let content = Sample(now: try clock.moment(), newID: newIdentifier)
            try store.write { records in
                guard try records.isEmpty() else {
                    let isFree = try pro && records.settings().plan == .free
                    throw CommandFailure(.cannotCreate, Messages.exists(path) + (isFree ? Messages.turnOnPro : ""))
                }
                var settings = sample ? content.settings : TimerSettings()
                if pro { settings.isProUser = true }
                try records.save(settings)
                guard sample else { return }
                for activity in content.activities { try records.insert(activity) }
                try records.insert(content.session)
                for entry in content.history { try records.insert(entry) }
            }
            let plan = sample || pro ? "Pro" : "Free"
            let with = sample ? " with the sample session \"\(content.session.name)\"" : ""
            try StandardOutput.shared.report("Made \(TerminalText.safe(path))\(with), on the \(plan) plan.\n")
        }
    }
}
