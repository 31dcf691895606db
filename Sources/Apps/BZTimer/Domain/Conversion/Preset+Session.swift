public import FormatKit
public import GymPulse
import StrictJSON

extension Preset {
    /// Converts a session to a preset that does the same.
    ///
    /// Its blocks have to be those of a preset: a transition or none, then activities and rests in turn, all activities
    /// of one length and all rests of one, each of at most 1,800 s.
    ///
    /// It keeps the session's identifier. Up to 99 pairs are rounds of one set; more are as few sets as there can be. Lost
    /// are labels, categories and whatever else a preset has no place for, and repetitions, of which the length is kept.
    ///
    /// - Throws: `conversion.pattern` with the first block that breaks the pattern, and its place in the session.
    public static func converting(
        _ session: SessionTemplate
    ) throws(AppFormatError) -> Conversion<Preset> {
        let pattern = try SessionPattern(session)
        var losses = PresetLosses()
        let name = losses.name(of: session)
        for (index, block) in session.items.enumerated() { losses.add(block, at: index) }
        losses.add(session)
        let preset = Preset(
            id: session.id,
            name: name,
            getReadySeconds: pattern.getReady,
            workSeconds: pattern.work,
            restSeconds: pattern.rest,
            sets: pattern.sets,
            rounds: pattern.rounds
        )
        return Conversion(preset, losses: losses.found)
    }
}

/// The numbers of a preset in the blocks of a session.
private struct SessionPattern {
    private(set) var getReady = 0
    private(set) var work = 0
    private(set) var rest = 0
    private(set) var sets = 1
    private(set) var rounds = 0

    init(_ session: SessionTemplate) throws(AppFormatError) {
        var items = session.items[...]
        if let first = items.first, first.kind == .transition {
            getReady = try Self.seconds(first, at: 0, Preset.getReadyRange, nil)
            items = items.dropFirst()
        }
        guard !items.isEmpty else { throw Self.unfinished(session, items) }
        for (index, block) in items.enumerated() {
            let isWork = index % 2 == 0
            let place = items.startIndex + index
            let expected = isWork ? BlockKind.activity : .rest
            guard block.kind == expected else {
                throw Self.error(block, at: place, "is \(Self.article(block.kind)); expected \(Self.article(expected))")
            }
            let known = index < 2 ? nil : (isWork ? work : rest)
            let seconds = try Self.seconds(block, at: place, Preset.phaseRange, known)
            if isWork { work = seconds } else { rest = seconds }
        }
        guard items.count % 2 == 0 else { throw Self.unfinished(session, items) }
        try divide(items.count / 2, items)
    }

    /// Divides the pairs into as many rounds in as few sets as possible.
    private mutating func divide(_ pairs: Int, _ items: ArraySlice<BlockInstance>) throws(AppFormatError) {
        let limit = Preset.countRange.upperBound
        guard let found = (1...limit).first(where: { pairs % $0 == 0 && pairs / $0 <= limit }) else {
            let place = items.startIndex + 2 * limit
            guard items.indices.contains(place) else { return }
            let what = "begins round \(limit + 1), and \(pairs) rounds make no sets of at most \(limit) each"
            throw Self.error(items[place], at: place, what)
        }
        (sets, rounds) = (found, pairs / found)
    }

    private static func seconds(
        _ block: BlockInstance,
        at index: Int,
        _ range: ClosedRange<Int>,
        _ known: Int?
    ) throws(AppFormatError) -> Int {
        guard let seconds = block.timing.totalSeconds, range.contains(seconds) else {
            let length = block.timing.totalSeconds.map { "\($0) s" } ?? "longer than can be timed"
            throw error(block, at: index, "takes \(length); expected \(range.lowerBound) to \(range.upperBound) s")
        }
        if let known, seconds != known {
            throw error(block, at: index, "takes \(seconds) s; expected \(known) s like the \(block.kind) before it")
        }
        return seconds
    }

    private static func unfinished(_ session: SessionTemplate, _ items: ArraySlice<BlockInstance>) -> AppFormatError {
        guard let last = items.last else {
            let message = "the session \"\(session.name)\" is no preset: it has no activity and no rest"
            return AppFormatError(.conversionPattern, message, at: JSONPointer(tokens: ["items"]))
        }
        return error(
            last,
            at: items.endIndex - 1,
            "is the last one; expected a rest after it, as a preset ends with one"
        )
    }

    private static func error(_ block: BlockInstance, at index: Int, _ what: String) -> AppFormatError {
        AppFormatError(
            .conversionPattern,
            "the session is no preset: block \(index + 1), \"\(block.label)\", \(what)",
            at: JSONPointer(tokens: ["items", String(index)])
        )
    }

    private static func article(_ kind: BlockKind) -> String { kind == .activity ? "an activity" : "a \(kind)" }
}

/// The parts of a session for which a preset has no place.
private struct PresetLosses {
    private(set) var found: [MigrationLoss] = []
    /// The texts that were said of some block; each is said once, at the first block.
    private var said: Set<String> = []

    private mutating func add(_ text: String, _ pointer: JSONPointer) {
        guard said.insert(text).inserted else { return }
        found.append(MigrationLoss(text, at: pointer))
    }

    /// Returns the session's name as a preset can have it.
    mutating func name(of session: SessionTemplate) -> String {
        let mended = PresetName.mended(session.name)
        let name = PresetName.mended(String(mended.prefix(Preset.longestName)))
        if JSONValue.string(name) != .string(session.name) {
            add("the name \"\(session.name)\" becomes \"\(name)\"", JSONPointer(tokens: ["name"]))
        }
        return name
    }

    mutating func add(_ session: SessionTemplate) {
        if session.tags?.isEmpty == false { add("the tags are left out", JSONPointer(tokens: ["tags"])) }
        if session.scheduledDaysOfWeek?.isEmpty == false {
            add("the days of the week are left out", JSONPointer(tokens: ["scheduledDaysOfWeek"]))
        }
        found += MigrationLoss.members(session.extra, at: .root)
    }

    mutating func add(_ block: BlockInstance, at index: Int) {
        let place = JSONPointer(tokens: ["items", String(index)])
        let usual = ["transition": "Get Ready", "activity": "Work", "rest": "Rest"][block.kind.rawValue] ?? ""
        if block.label != usual { add("the label \"\(block.label)\" becomes \"\(usual)\"", place.appending("label")) }
        if let category = block.category, category != SessionTemplate.workCategory {
            add("the category \"\(category)\" is left out", place.appending("category"))
        }
        if case .reps(let count, let each) = block.timing, let seconds = block.timing.totalSeconds {
            add("\(count) repetitions of \(each) s become \(seconds) s", place.appending("reps"))
        }
        if block.templateId != nil { add("references to saved activities are left out", place.appending("templateId")) }
        if let color = block.color { add("the color \"\(color)\" is left out", place.appending("color")) }
        if let icon = block.icon { add("the icon \"\(icon)\" is left out", place.appending("icon")) }
        if let notes = block.notes { add("the notes \"\(notes)\" are left out", place.appending("notes")) }
        for loss in MigrationLoss.members(block.extra, at: place) { add(loss.text, loss.pointer) }
    }
}
