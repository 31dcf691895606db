extension SessionText {
    /// The text: what reads back as the same content, repetitions in groups.
    public var text: String {
        var lines: [String] = []
        if let name { lines.append("name: \(SessionTextScanner.escaped(name, isTrimmed: true))") }
        if let tags, !tags.isEmpty {
            lines.append("tags: \(tags.map(SessionTextScanner.encoded).joined(separator: ", "))")
        }
        if let days, !days.isEmpty {
            let names = days.compactMap { Self.dayNames.indices.contains($0 - 1) ? Self.dayNames[$0 - 1] : nil }
            lines.append("days: \(names.joined(separator: " "))")
        }
        let written = blocks.map(\.line)
        // Compared by bytes: texts that Swift calls equal may still differ.
        for group in Repetition.all(in: written.map { Array($0.utf8) }) {
            let round = written[group.first]
            lines += group.count == 1 ? Array(round) : ["\(group.count) x ("] + round.map { "  \($0)" } + [")"]
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension SessionText.Block {
    /// The block as a line: with its name in quotes where it would be read otherwise without.
    var line: String {
        let plain = line(naming: label)
        let isSpecial =
            SessionTextScanner.escaped(label) != label || label.contains { "/():\"".contains($0) }
            || label.contains("--")
        if !isSpecial, label.first?.isLetter == true {
            var scanner = SessionTextScanner(line(naming: label, withNotes: false), line: 1)
            var block = try? scanner.block()
            block?.notes = notes
            if block == self { return plain }
        }
        return line(naming: "\"\(SessionTextScanner.escaped(label).replacing("\"", with: "\\\""))\"")
    }

    /// Notes as they are written: in quotes where they would be read otherwise without.
    private static func written(_ notes: String) -> String {
        let text = SessionTextScanner.escaped(notes)
        let isPlain =
            !text.isEmpty && SessionTextScanner.trimmed(text) == text && text.first != "\""
            && !SessionTextScanner.hasSeparator(text)
        return isPlain ? text : "\"\(text.replacing("\"", with: "\\\""))\""
    }

    private func line(naming label: String, withNotes: Bool = true) -> String {
        var parts: [String] = []
        let implied: BlockKind = SessionTextScanner.isRest(self.label) ? .rest : .activity
        if kind != implied { parts.append("\(kind.rawValue):") }
        parts.append(label)
        switch timing {
        case .duration(let seconds): parts.append("\(seconds) s")
        case .reps(let count, let secondsEach): parts.append("\(count) x \(secondsEach) s")
        }
        if let category { parts.append("[\(SessionTextScanner.encoded(category))]") }
        let look = [("color", color), ("icon", icon)].compactMap { name, value in
            value.map { "\(name)=\(SessionTextScanner.encoded($0).replacing(" ", with: "%20"))" }
        }
        if !look.isEmpty { parts.append("{\(look.joined(separator: " "))}") }
        if withNotes, let notes { parts.append("-- \(Self.written(notes))") }
        return parts.joined(separator: " ")
    }
}
