internal import CivilTime
internal import FormatKit
internal import StrictJSON

/// The parts of a session that another one replaces or leaves out, in words.
enum ReplacedParts {
    /// Returns a clause for each kind of part; what is new beside them is not named.
    ///
    /// - Parameter old: The session that is replaced.
    static func words(of old: SessionTemplate, by update: SessionUpdate) -> [String] {
        let (new, kept) = (update.session, update.kept)
        let pairs = zip(new.items, kept).compactMap { block, kept in kept.map { (old: $0, new: block) } }
        func blocks(_ what: String, _ value: (BlockInstance) -> String?) -> String? {
            let changes = pairs.compactMap { pair -> String? in
                guard let old = value(pair.old), value(pair.new) != old else { return nil }
                return "\"\(pair.new.label)\" from \(old) to \(value(pair.new) ?? "none")"
            }
            return clause("\(what) change", changes)
        }
        func member(_ what: String, _ value: (SessionTemplate) -> String?) -> String? {
            guard let before = value(old), value(new) != before else { return nil }
            return "\(what) from \(before) to \(value(new) ?? "none")"
        }
        let places = Dictionary(zip(old.items.map(\.id), 0...)) { first, _ in first }
        let stay = Set(kept.compactMap { $0?.id })
        let gone = old.items.filter { !stay.contains($0.id) }.map { block in
            "\"\(block.label)\"" + (block.notes.map { " with its notes \(quoted($0))" } ?? "")
        }
        let order = kept.compactMap { $0.flatMap { places[$0.id] } }
        let relinked = pairs.filter { $0.old.templateId != nil && $0.old.templateId != $0.new.templateId }
        let unknown =
            unknown(old.extra, new.extra, of: nil)
            + pairs.flatMap { self.unknown($0.old.extra, $0.new.extra, of: $0.new.label) }
        return [
            clause("blocks that go", gone),
            zip(order, order.dropFirst()).allSatisfy(<) ? nil : "the order of blocks changes",
            blocks("lengths") { length($0.timing) },
            blocks("kinds") { $0.kind.rawValue },
            blocks("categories") { $0.category ?? "none" },
            blocks("notes") { $0.notes.map(quoted) },
            blocks("colours") { $0.color },
            blocks("icons") { $0.icon },
            clause("links to saved activities change", relinked.map { "\"\($0.new.label)\"" }),
            clause("unknown members change", unknown),
            member("the name changes") { quoted($0.name) },
            member("tags change") { list($0.tags) },
            member("days change") { days($0.scheduledDaysOfWeek) },
        ].compactMap(\.self)
    }

    private static func clause(_ what: String, _ parts: [String]) -> String? {
        var told: Set<String> = []
        let parts = parts.filter { told.insert($0).inserted }
        return parts.isEmpty ? nil : "\(what): \(parts.joined(separator: ", "))"
    }

    private static func unknown(_ old: JSONObject, _ new: JSONObject, of block: String?) -> [String] {
        old.names.filter { $0 != Preserved.memberName && old[$0] != new[$0] }.map { name in
            "\"\(name)\"" + (block.map { " of \"\($0)\"" } ?? "")
        }
    }

    private static func length(_ timing: BlockTiming) -> String {
        switch timing {
        case .duration(let seconds): DurationText.words(seconds: seconds)
        case .reps(let count, let secondsEach): "\(count) x \(secondsEach) s"
        }
    }

    private static func list(_ words: [String]?) -> String? {
        guard let words, !words.isEmpty else { return nil }
        return words.joined(separator: ", ")
    }

    private static func days(_ days: [Int]?) -> String? {
        let names = SessionText.dayNames
        return list(days?.sorted().compactMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil })
    }

    /// Returns a text in quotes, cut where it is long.
    private static func quoted(_ text: String) -> String {
        let most = 60
        return JSONValue.string(text.count > most ? text.prefix(most - 1) + "…" : text).text(.compact)
    }
}
