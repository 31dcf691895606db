internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import TimeTracker

/// The present moment and the zone of an entry's times.
struct EntryClock: ParsableArguments {
    @OptionGroup var now: NowOption
    @OptionGroup var zone: TimeZoneOption

    /// A clock and what it shows.
    struct Clock {
        let local: LocalClock
        let now: Timestamp
    }

    func clock(stored: String?) throws(CommandFailure) -> Clock {
        let local = try zone.clock(stored: stored)
        return Clock(local: local, now: try now.moment(in: local))
    }
}

/// The options for an entry's details beside its times.
struct EntryDetails: ParsableArguments {
    @Option(help: ArgumentHelp("What was done, in your words.", valueName: "text"))
    var note: String?

    @Option(help: ArgumentHelp("The project.", valueName: "name"))
    var project: String?

    @Option(help: ArgumentHelp("The client.", valueName: "name"))
    var client: String?

    @Option(help: ArgumentHelp("The task.", valueName: "name"))
    var task: String?

    @Option(help: ArgumentHelp("The tags, with commas between them.", valueName: "list"))
    var tags: String?

    @Flag(inversion: .prefixedNo, help: "Whether the time is billed.")
    var billable: Bool?

    @Option(help: ArgumentHelp("The amount that is billed, such as \"120.50 EUR\".", valueName: "amount"))
    var amount: String?

    private var given: [(ActivityDetail, String)] {
        let texts: [(ActivityDetail, String?)] = [
            (.project, project), (.client, client), (.task, task), (.description, note), (.tags, tags),
            (.billable, billable.map { $0 ? "yes" : "no" }), (.amount, amount),
        ]
        return texts.compactMap { detail, text in text.map { (detail, $0) } }
    }

    func validate() throws {
        guard let amount, !Words.isBlank(amount) else { return }
        var sum = MoneySum()
        sum.add(amount)
        if sum.unreadable > 0 { throw ValidationError(Messages.badAmount(amount)) }
    }

    var isGiven: Bool { !given.isEmpty }

    func apply(to entry: inout TrackerActivity) { for (detail, text) in given { entry.set(detail, text) } }
}

/// Finds the entry that a person means.
enum EntryArgument {
    static let help = ArgumentHelp("The entry: its short name, its id, last or running.", valueName: "entry")

    /// - Throws: 66 where there is no such entry, 64 where several have the short name.
    static func find(_ text: String, _ records: TrackerRecords) throws -> TrackerActivity {
        switch text.lowercased() {
        case "last": if let found = try records.lastActivity() { return found }
        case "running": if let found = try records.running() { return found }
        default: break
        }
        if let found = try records.activity(id: text) { return found }
        let ids = try records.handles().ids(matching: text)
        guard let id = ids.first, let found = try records.activity(id: id) else {
            throw CommandFailure(
                .noInput,
                Messages.noEntry(text)
            )
        }
        guard ids.count == 1 else {
            throw CommandFailure(.usage, Messages.severalEntries(ids.count, text))
        }
        return found
    }
}

extension TrackerRecords {
    /// Returns the button that a name stands for, as ``visibleButton(named:way:)`` does, and says so where it is hidden.
    func trackedButton(named name: String, way: String = "add one with buttons add") throws -> ActivityButton {
        let button = try visibleButton(named: name, way: way)
        if !button.isVisible { StandardError.write(TerminalText.safe(Messages.hidden(button.name)) + "\n") }
        return button
    }

    /// Returns the button that a name, or any part of one that fits, stands for; those that are shown come first.
    ///
    /// - Parameter way: How to add one.
    /// - Throws: 64 where several fit, 66 where none does.
    func visibleButton(named name: String, way: String = "add one with buttons add") throws -> ActivityButton {
        if let button = try button(named: name) { return button }
        let buttons = try buttons()
        let choice = NameChoice("button", buttons.filter(\.isVisible), id: \.id, name: \.name)
        do throws(CommandFailure) {
            return try choice(name, else: buttons.filter { !$0.isVisible })
        } catch {
            guard error.status == .noInput else { throw error }
            let names = buttons.filter(\.isVisible).map { "\"\($0.name)\"" }
            let list = names.isEmpty ? "" : ", there are \(names.joined(separator: ", "))"
            throw CommandFailure(.noInput, "\(error.message ?? "")\(list); \(way)")
        }
    }
}

extension TimeExpression {
    /// Returns the moment that is meant of an entry: a time without a day is one of the day of another moment.
    ///
    /// - Parameters:
    ///   - option: The option, for messages.
    ///   - near: The moment whose day counts; nil for now.
    ///   - isAfter: Whether a time without a day is the first after that moment, be it on the next day.
    /// - Throws: 64 for a time that equals that moment's, as it could mean the next day's.
    func moment(
        _ option: String,
        near: Timestamp?,
        isAfter: Bool = false,
        _ clock: EntryClock.Clock,
        _ output: FormatOption
    ) throws -> Timestamp {
        let isTime = text.allSatisfy { $0.isNumber || $0 == ":" }
        guard isTime, let near else {
            return try moment(for: option, now: clock.now, clock: clock.local, echo: output.format)
        }
        let day = clock.local.day(of: near)
        let found = try TimeExpression("\(day) \(text)").moment(for: option, now: clock.now, clock: clock.local)
        guard isAfter, found <= near else { return found }
        let next = day.adding(days: 1)
        // Of a time without seconds the minute counts.
        guard near.seconds - found.seconds >= (text.count(where: { $0 == ":" }) > 1 ? 1 : 60) else {
            throw CommandFailure(.usage, Messages.sameAsStart(option, text, "\(next) \(text)"))
        }
        return try TimeExpression("\(next) \(text)").moment(for: option, now: clock.now, clock: clock.local)
    }
}
