internal import JSONSchemaValidation

/// Finds the one thing that a person means by a part of its name, case and emoji aside.
///
/// An identifier wins over names; a name as it is written wins over one in another case, and that over a part of one.
///
/// ```swift
/// let choice = NameChoice("task", tasks, id: \.id, name: \.title)
/// try choice("passport")  // the task "Renew the passport"
/// ```
package struct NameChoice<Thing> {
    /// The most names that a message lists.
    private static var listed: Int { 8 }

    private let kind: String
    private let plural: String?
    private let things: [Thing]
    private let id: (Thing) -> String
    private let name: (Thing) -> String
    private let details: ((Thing) -> String)?

    /// Makes a choice.
    ///
    /// - Parameters:
    ///   - kind: What one of the things is called.
    ///   - plural: What several of them are called; nil where that follows from `kind`.
    ///   - things: The things, the more likely ones first.
    ///   - id: The identifier of a thing.
    ///   - name: The name of a thing.
    ///   - details: What tells a thing from others, for a list of several; nil for the identifier where names are equal.
    package init(
        _ kind: String,
        plural: String? = nil,
        _ things: [Thing],
        id: @escaping (Thing) -> String,
        name: @escaping (Thing) -> String,
        details: ((Thing) -> String)? = nil
    ) {
        self.kind = kind
        self.plural = plural
        self.things = things
        self.id = id
        self.name = name
        self.details = details
    }

    /// Returns the thing that is meant.
    ///
    /// - Parameter others: Things that are looked at where none of the first fits, such as those that are done already.
    /// - Throws: 64 where several fit, which it lists; 66 where none does, with those that have a similar name.
    package func callAsFunction(_ wanted: String, else others: [Thing] = []) throws(CommandFailure) -> Thing {
        let all = things + others
        if let thing = all.first(where: { id($0) == wanted }) { return thing }
        let text = NameText.folded(wanted)
        guard !text.isEmpty else { throw CommandFailure(.usage, "\"\(wanted)\" names no \(kind)") }
        for group in [things, others] {
            let exact = group.filter { name($0) == wanted }
            if exact.count == 1 { return exact[0] }
            let named = group.map { (thing: $0, name: NameText.comparable(name($0), to: wanted)) }
            for fitting in [named.filter { $0.name == text }, named.filter { $0.name.contains(text) }] {
                if let first = fitting.first, fitting.count == 1 { return first.thing }
                if fitting.count > 1 { throw ambiguous(wanted, fitting.map(\.thing)) }
            }
        }
        throw missing(wanted, text, all)
    }

    private func ambiguous(_ wanted: String, _ fitting: [Thing]) -> CommandFailure {
        let names = Set(fitting.map { NameText.folded(name($0)) })
        // Things of one name are told apart by their identifiers alone, unless the name is all that they have.
        let haveIDs = fitting.contains { id($0) != name($0) }
        let shown = fitting.map { thing in
            let more = details?(thing) ?? (haveIDs && names.count < fitting.count ? id(thing) : nil)
            return "\"\(name(thing))\"" + (more.map { " (\($0))" } ?? "")
        }
        let more = shown.count > Self.listed ? " and \(shown.count - Self.listed) more" : ""
        let list = shown.prefix(Self.listed).joined(separator: ", ")
        let several = plural.map { "\(fitting.count) \($0)" } ?? Words.count(fitting.count, kind)
        var way = names.count == 1 ? "name one by its id" : "write more of the name, or the id"
        if !haveIDs { way = "write the whole name as it stands here" }
        return CommandFailure(
            .usage,
            "\"\(wanted)\" names \(several): \(list)\(more); \(way)"
        )
    }

    private func missing(_ wanted: String, _ text: String, _ all: [Thing]) -> CommandFailure {
        let names = all.map { (whole: name($0), folded: NameText.folded(name($0))) }
        let words = names.flatMap { name in name.folded.split(separator: " ").map(String.init) }
        let nearest = Suggestion.nearest(to: text, among: names.map(\.folded) + words)
        let meant = nearest.flatMap { near in names.first { $0.folded.contains(near) } }
        let hint = meant.map { "did you mean \"\($0.whole)\"?" } ?? (all.isEmpty ? "there is none" : nil)
        return CommandFailure(.noInput, "there is no \(kind) \"\(wanted)\"" + (hint.map { "; \($0)" } ?? ""))
    }
}

/// Names as they are compared.
package enum NameText {
    /// Returns a name in lower case, without emoji, and with one space between words; one of emoji alone keeps them.
    package static func folded(_ name: String) -> String {
        let plain = plain(name)
        return plain.isEmpty ? withEmoji(name) : plain
    }

    /// Returns whether a name contains a text.
    ///
    /// Ignores case and emoji, unless the text is emoji alone.
    package static func contains(_ name: String, _ text: String) -> Bool {
        let folded = folded(text)
        return !folded.isEmpty && comparable(name, to: text).contains(folded)
    }

    /// Returns a name as it is compared with a text: without emoji, unless the text is of emoji alone.
    static func comparable(_ name: String, to text: String) -> String {
        plain(text).isEmpty ? withEmoji(name) : folded(name)
    }

    private static func plain(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !isDecoration(scalar) { scalars.append(scalar) }
        return spaced(String(scalars))
    }

    /// Returns a name with its emoji, but without the characters that only choose how they look.
    private static func withEmoji(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where scalar.value != 0xFE0F { scalars.append(scalar) }
        return spaced(String(scalars))
    }

    private static func spaced(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func isDecoration(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isEmojiPresentation || properties.isEmojiModifier
            || (properties.isEmoji && scalar.value > 0xFF)
            || scalar.value == 0xFE0F || scalar.value == 0x200D || scalar.value == 0x20E3
    }
}
