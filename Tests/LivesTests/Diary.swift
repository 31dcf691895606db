/// What each person did, and what the device at hand had been told of the others' doings by then.
///
/// The oracle of the lives. It knows files that arrive and deeds that they bring, and nothing of vectors, dots or joins.
struct Diary {
    /// The number of the last deed known of each author, all earlier ones included.
    typealias Knowledge = [Int: Int]

    /// Something done to a fact: it has this value from now on, or is gone.
    struct Deed {
        let author: Int
        var number: Int
        let seen: Knowledge
        let value: String?
        /// The line of the diary that tells when others could first know of it.
        let line: Int

        /// Whether whoever did this knew of another deed.
        func knows(_ other: Deed) -> Bool {
            author == other.author
                ? (number, line) > (other.number, other.line) : (seen[other.author] ?? 0) >= other.number
        }
    }

    /// What was done at one device since its last synchronisation.
    struct Draft {
        /// The value that a fact had at the last synchronisation, and the one it has now; nil where it is not there.
        var changes: [String: (before: String?, after: String?)] = [:]
        /// What was noted of a fact for the app's own rules, in order.
        var notes: [String: String] = [:]
    }

    /// Deeds by fact: `tasks/t1` is that a record is there, `tasks/t1#title` the value of a member.
    private(set) var deeds: [String: [Deed]] = [:]
    /// What happened, in words.
    private(set) var lines: [String] = []
    /// The facts that habits of Slate were done, by day.
    private(set) var ticks: [String: Set<String>] = [:]
    /// The day on which each habit of Slate was made.
    var habitDays: [String: String] = [:]
    /// The stretches of each of Study Timer's sessions, and the sessions that several devices worked at.
    var segments: [String: [(author: Int, start: Int, end: Int?)]] = [:]
    var shared: Set<String> = []
    /// What a person deleted of which no rule can tell: the app was about to remove it by itself, or a phone deleted it again
    /// before anything showed that it ever had it.
    var doubtful: Set<String> = []
    /// Authors whose last deeds went with a disk that was set back.
    private var lost: Set<Int> = []
    private var counts: Knowledge = [:]

    mutating func write(_ line: String) { lines.append(line) }

    /// A new author: a device, or one that was set back and goes on.
    mutating func makeAuthor() -> Int {
        let author = counts.count
        counts[author] = 0
        return author
    }

    /// Notes that a disk was set back: what was done there and told nobody is gone.
    mutating func lose(_ author: Int) { lost.insert(author) }
    func wasLost(_ author: Int) -> Bool { lost.contains(author) }

    /// The number of an author's last deed.
    func count(_ author: Int) -> Int { counts[author] ?? 0 }

    /// Takes what was done at a device as the author's next deeds.
    ///
    /// What is as it was before is no deed: nobody else can know that it was something else meanwhile.
    ///
    /// - Parameter files: The records that each file names which tells of the deeds, in order. Each file brings the deeds of
    ///   its own records only; the last one brings all others.
    mutating func commit(_ draft: inout Draft, author: Int, seen: Knowledge, files: [Set<String>] = []) {
        defer { draft = Draft() }
        var written: Set<String> = []
        var deleted: Set<String> = []
        var changed: [String: String?] = [:]
        let changes = draft.changes
        let isGone = { (record: String) in changes[record].map { $0.after == nil } ?? false }
        for (fact, change) in changes where change.before != change.after {
            if let record = Self.record(of: fact) {
                // Of a record that came and went meanwhile there is nothing to tell.
                if isGone(record) { continue }
                if change.after != nil { written.insert(record) }
                changed[fact] = change.after
            } else if change.after == nil {
                deleted.insert(fact)
            } else {
                written.insert(fact)
            }
        }
        for record in written where !isGone(record) { changed[record] = .some("") }
        for record in deleted { changed[record] = .some(nil) }
        for (fact, value) in draft.notes { changed[fact] = value }
        // A file that tells of nothing still has to be there before the next one.
        guard !changed.isEmpty || !files.isEmpty else { return }
        let first = count(author) + 1
        counts[author] = first + max(files.count, 1) - 1
        for (fact, value) in changed {
            let file = files.firstIndex { $0.contains(Self.stored(Self.record(of: fact) ?? fact)) }
            let number = first + (file ?? max(files.count, 1) - 1)
            if let record = Self.record(of: fact), isGone(record) { continue }
            if fact.hasPrefix("habit_completions/"), let day = fact.split(separator: "|").last {
                ticks[String(day), default: []].insert(fact)
            }
            deeds[fact, default: []].append(
                Deed(author: author, number: number, seen: seen, value: value, line: lines.count)
            )
        }
    }

    /// Tells which of an author's deeds each file brings: those of its own records, and the last one all others.
    ///
    /// - Parameter numbers: The deeds that all the files bring together; each file gets one number, up to the last.
    mutating func spread(_ author: Int, _ numbers: ClosedRange<Int>, over files: [Set<String>]) {
        for (fact, all) in deeds {
            let record = Self.stored(Self.record(of: fact) ?? fact)
            let file = files.firstIndex { $0.contains(record) } ?? files.count - 1
            deeds[fact] = all.map { deed in
                guard deed.author == author, numbers.contains(deed.number) else { return deed }
                var deed = deed
                deed.number = numbers.upperBound - (files.count - 1 - file)
                return deed
            }
        }
    }

    /// The record whose member a fact is.
    static func record(of fact: String) -> String? {
        fact.lastIndex(of: "#").map { String(fact[..<$0]) }
    }

    /// The record of the store that a record of the diary is part of.
    private static func stored(_ record: String) -> String {
        if record.hasPrefix("categories/") { return "settings/" }
        if record.hasPrefix("word/"), let item = record.dropFirst(5).split(separator: "|").first {
            return "item/\(item)"
        }
        guard record.hasPrefix("blocks/"), let session = record.dropFirst(7).split(separator: "|").first else {
            return record
        }
        return "sessions/\(session)"
    }

    // MARK: What has to be

    /// Whether a record has to be there, or must not be: somebody wrote it whom nobody who deleted it knew of.
    func isThere(_ record: String) -> Bool {
        let all = deeds[record] ?? []
        let removals = all.filter { $0.value == nil }
        return all.contains { deed in deed.value != nil && !removals.contains { $0.knows(deed) } }
    }

    /// The values of a member that nobody replaced who knew them.
    func standing(_ fact: String) -> Set<String?> {
        let all = deeds[fact] ?? []
        return Set(all.filter { deed in !all.contains { $0.knows(deed) } }.map(\.value))
    }

    /// The deeds of a fact that nobody followed up who knew them.
    func latest(_ fact: String) -> [Deed] {
        let all = deeds[fact] ?? []
        return all.filter { deed in !all.contains { $0.knows(deed) } }
    }

    /// All that was done to a fact and to its record, in words.
    func story(_ fact: String) -> String {
        [Self.record(of: fact), fact].compactMap(\.self).flatMap { name in
            (deeds[name] ?? []).map { deed in
                let seen = deed.seen.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
                let line = lines.indices.contains(deed.line) ? lines[deed.line] : "the end"
                let what = "\(name) = \(deed.value ?? "gone")"
                return "\n        \(what), \(deed.author):\(deed.number) knowing \(seen), at \(line)"
            }
        }.joined()
    }

    /// Whether anybody ever removed a record.
    func wasRemoved(_ record: String) -> Bool { deeds[record]?.contains { $0.value == nil } ?? false }

    /// Whether somebody removed a record together with another.
    func wasRemoved(_ record: String, with other: String) -> Bool {
        let removals = deeds[other]?.filter { $0.value == nil } ?? []
        return deeds[record]?.contains { deed in
            deed.value == nil && removals.contains { $0.author == deed.author && $0.line == deed.line }
        } ?? false
    }
}

extension Diary.Draft {
    /// Notes that a person changed something.
    mutating func did(_ fact: String, from before: String?, to after: String?) {
        let known = changes[fact]
        changes[fact] = (known == nil ? before : known?.before, after)
    }
}
