internal import BZTimer
internal import CommandSupport
internal import Crypto
internal import GymPulse
internal import Interchange
internal import Pages
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A session or a preset as one HTML file that runs it in a browser, without a network.
///
/// `session.html` is the page with `{{name}}` where this puts something in: the plan as a list, and as JSON the blocks
/// and what is heard. The page's policy allows the style and the script of `session.html`, named by their hashes, and
/// no request.
struct RunningPage {
    private let runnable: Runnable
    private let timeline: Timeline
    private let cues: [Signal]
    private let blocks: [Block]
    private let groups: [Repetition]

    /// The sound and the voice at a second.
    private struct Signal {
        /// The sound, by the page's name for it.
        enum Kind: String { case start, begin, warning, end }

        let second: Int
        var kind: Kind
        /// The words of the voice.
        var voice: String?
    }

    /// A block or phase, without its place in the timeline: equal ones repeat.
    private struct Block: Hashable {
        let phase: Timeline.Phase
        let label: String
        let length: Int
        var detail: String?
        var note: String?
    }

    /// - Throws: 65 where there is nothing to run, or the session is longer than can be timed.
    init(_ runnable: Runnable, settings: TimerSettings) throws {
        self.runnable = runnable
        timeline = try runnable.timeline(preCountdownSeconds: settings.preCountdownSeconds)
        cues = Self.signals(of: runnable, timeline, settings)
        blocks = Self.blocks(of: runnable, timeline)
        groups = Repetition.all(in: blocks)
        guard !blocks.isEmpty else {
            throw CommandFailure(.badData, Messages.nothingToRun(runnable.name))
        }
    }

    /// Returns the app's cues, whatever its switches are, as the page has its own; one at each second.
    private static func signals(of runnable: Runnable, _ timeline: Timeline, _ settings: TimerSettings) -> [Signal] {
        var settings = settings
        settings.enableSounds = true
        // The app beeps as a phase changes, which the start of a preset and that of a countdown are not.
        var signals = [0: Signal(second: 0, kind: .start)]
        if let first = timeline.entries.first(where: { $0.phase != .countdown }) {
            let isStart = timeline.isPreset && first.start == 0
            signals[first.start] = Signal(second: first.start, kind: isStart ? .start : .begin, voice: first.label)
        }
        for cue in runnable.withSounds.cues(timeline, settings) {
            let block = timeline.entries.first { $0.start == cue.second }
            var signal = signals[cue.second] ?? Signal(second: cue.second, kind: .begin, voice: block?.label)
            switch cue.kind {
            case .beep: break
            case .voice: signal.voice = cue.text
            case .almostDone: signal = Signal(second: cue.second, kind: .warning, voice: cue.text)
            case .blockComplete: signal.voice = block?.label
            case .sessionComplete: signal.voice = cue.text
            }
            if cue.second >= timeline.total { signal.kind = .end }
            signals[cue.second] = signal
        }
        return signals.values.sorted { $0.second < $1.second }
    }

    /// Returns the blocks without the countdown.
    private static func blocks(of runnable: Runnable, _ timeline: Timeline) -> [Block] {
        let entries = timeline.entries.drop { $0.phase == .countdown }
        var blocks = entries.map { Block(phase: $0.phase, label: HTMLPage.visible($0.label), length: $0.duration) }
        guard case .session(let session) = runnable else { return blocks }
        for (index, item) in session.items.enumerated() {
            if case .reps = item.timing { blocks[index].detail = Words.timing(item.timing) }
            blocks[index].note = item.notes.map { HTMLPage.visible($0, keepsLines: true) }
        }
        return blocks
    }

    /// The name as that of a file: `leg-day.html`.
    var fileName: String { "\(stem).html" }

    /// Returns the name of the file that a command writes in the current folder.
    ///
    /// A page of something else keeps its name, and this one gets a number: `leg-day-2.html`.
    ///
    /// - Parameter isAlone: Whether nothing else has the name; otherwise the file's name has a part of the identifier.
    func freeName(isAlone: Bool) -> String {
        let part = runnable.id.unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        let stem = isAlone ? stem : "\(stem)-\(String(String.UnicodeScalarView(part.prefix(8))))"
        let names = (1...999).lazy.map { $0 == 1 ? "\(stem).html" : "\(stem)-\($0).html" }
        return names.first { !isOther($0) } ?? "\(stem).html"
    }

    /// Tells whether a file is such a page, and of something else.
    private func isOther(_ path: String) -> Bool {
        guard OutputFile(path).exists, let file = try? InputFile(reading: path, limit: 1 << 24) else { return false }
        let page = String(decoding: file.bytes, as: UTF8.self)
        return page.contains(HTMLPage.mark) && !page.contains(title)
    }

    private var title: String { "<title>\(HTMLPage.escaped(runnable.name))</title>" }

    private var stem: String {
        let words = runnable.name.lowercased().unicodeScalars.split {
            !$0.properties.isAlphabetic && $0.properties.numericType == nil
        }
        let name = String(String.UnicodeScalarView(words.joined(separator: "-".unicodeScalars).prefix(60)))
        return name.isEmpty ? "session" : name
    }

    // MARK: The page

    private static let template = String(decoding: PackageResources.session_html, as: UTF8.self)

    var html: String {
        let values = [
            "mark": HTMLPage.mark, "policy": Self.policy, "title": HTMLPage.escaped(runnable.name),
            "summary": HTMLPage.escaped(summary), "plan": plan, "session": HTMLPage.data(data),
        ]
        let parts = Self.template.split(separator: "{{", omittingEmptySubsequences: false)
        var html = String(parts[0])
        for part in parts.dropFirst() {
            guard let end = part.firstRange(of: "}}") else { continue }
            html += values[String(part[..<end.lowerBound])] ?? ""
            html += part[end.upperBound...]
        }
        return html
    }

    static let policy = """
        default-src 'none'; script-src \(hash(of: "script")); style-src \(hash(of: "style")); base-uri 'none'; \
        form-action 'none'
        """

    /// Returns the hash of the content of the template's only element with that name and no attributes.
    private static func hash(of element: String) -> String {
        guard let start = template.firstRange(of: "<\(element)>"),
            let end = template[start.upperBound...].firstRange(of: "</\(element)>")
        else { return "'none'" }
        let content = Data(template[start.upperBound..<end.lowerBound].utf8)
        return "'sha256-\(Data(SHA256.hash(data: content)).base64EncodedString())'"
    }

    private var summary: String {
        switch runnable {
        case .session(let session): Words.summary(of: session)
        case .preset: "\(Words.count(blocks.count, "phase")) · \(Words.length(timeline.total))"
        }
    }

    // MARK: The plan

    private var plan: String {
        let lines = groups.map { group in
            let items = blocks[group.first].map(item).joined(separator: "\n")
            guard group.count > 1 else { return items }
            return "<li class=\"group\">\(heading(of: group))\n<ol>\n\(items)\n</ol>\n</li>"
        }
        return "<ol>\n\(lines.joined(separator: "\n"))\n</ol>"
    }

    private func heading(of group: Repetition) -> String {
        if let sets = timeline.sets, let rounds = timeline.rounds, sets > 1, sets * rounds == group.count {
            return "\(sets) sets of \(Words.count(rounds, "round"))"
        }
        return Words.count(group.count, "round")
    }

    private func item(_ block: Block) -> String {
        let length = Words.length(block.length)
        var text = "<span class=\"label\">\(HTMLPage.escaped(block.label))</span> <span>\(length)</span>"
        if let detail = block.detail { text += " <span class=\"detail\">\(HTMLPage.escaped(detail))</span>" }
        if let note = block.note { text += " <span class=\"note\">\(HTMLPage.escaped(note, keepsLines: true))</span>" }
        return "<li class=\"item \(block.phase.rawValue)\">\(text)</li>"
    }

    // MARK: The data

    private var data: JSONValue {
        let countdown = timeline.entries.prefix { $0.phase == .countdown }
        let places = self.places
        let timed: [JSONValue] =
            countdown.map { entry($0, members: [:]) }
            + timeline.entries.dropFirst(countdown.count).enumerated().map { index, entry in
                self.entry(entry, members: members(index, places[index]))
            }
        let (sound, voice) =
            switch runnable {
            case .session: (true, false)
            case .preset(let preset): (preset.soundEnabled, preset.voiceEnabled)
            }
        return [
            "name": .string(HTMLPage.visible(runnable.name)), "total": .number(timeline.total),
            "length": .number(timeline.total - (countdown.last?.end ?? 0)),
            "sound": .bool(sound), "voice": .bool(voice), "end": .string(cues.last?.voice ?? ""),
            "blocks": .array(timed), "cues": .array(cues.map(signal)),
        ]
    }

    private func signal(_ signal: Signal) -> JSONValue {
        [
            "second": .number(signal.second), "kind": .string(signal.kind.rawValue),
            "voice": signal.voice.map { .string(HTMLPage.visible($0)) } ?? .null,
        ]
    }

    private func entry(_ entry: Timeline.Entry, members: JSONObject) -> JSONValue {
        var object: JSONObject = [
            "phase": .string(entry.phase.rawValue), "label": .string(HTMLPage.visible(entry.label)),
            "start": .number(entry.start), "length": .number(entry.duration),
        ]
        for member in members { object[member.name] = member.value }
        return .object(object)
    }

    private func members(_ index: Int, _ place: (item: Int, round: String?)) -> JSONObject {
        var members: JSONObject = ["item": .number(place.item)]
        let texts = [("place", place.round), ("detail", blocks[index].detail), ("note", blocks[index].note)]
        for (name, text) in texts { if let text { members[name] = .string(text) } }
        return members
    }

    /// The number of each block's item in the plan, and its round.
    private var places: [(item: Int, round: String?)] {
        var places: [(item: Int, round: String?)] = []
        var items = 0
        for group in groups {
            for offset in 0..<group.range.count {
                let (round, item) = offset.quotientAndRemainder(dividingBy: group.first.count)
                let own = group.count > 1 ? "Round \(round + 1) of \(group.count)" : nil
                places.append((items + item, timeline.isPreset ? presetPlace(places.count) : own))
            }
            items += group.first.count
        }
        return places
    }

    /// Returns a preset's place such as `Set 1 of 2, round 3 of 8`.
    private func presetPlace(_ index: Int) -> String? {
        timeline.place(of: timeline.entries[index]).map { $0.prefix(1).uppercased() + $0.dropFirst() }
    }
}
