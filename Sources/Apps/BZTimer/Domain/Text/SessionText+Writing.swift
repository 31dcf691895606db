extension SessionText {
    /// The text: what reads back as the same content, repetitions in groups.
    public var text: String {
        var lines: [String] = []
        if let name { lines.append("name: \(SessionTextScanner.escaped(name))") }
        if let tags, !tags.isEmpty {
            lines.append("tags: \(tags.map(SessionTextScanner.encoded).joined(separator: ", "))")
        }
        if let days, !days.isEmpty {
            let names = days.compactMap { Self.dayNames.indices.contains($0 - 1) ? Self.dayNames[$0 - 1] : nil }
            lines.append("days: \(names.joined(separator: " "))")
        }
        var index = 0
        while index < blocks.count {
            let (length, count) = Self.repetition(in: blocks, at: index)
            guard count > 1 else {
                lines.append(blocks[index].line)
                index += 1
                continue
            }
            lines.append("\(count) x (")
            lines += blocks[index..<index + length].map { "  \($0.line)" }
            lines.append(")")
            index += length * count
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let longestGroup = 12

    /// Finds the group that saves most lines; a count of 1 where none does.
    private static func repetition(in blocks: [Block], at start: Int) -> (length: Int, count: Int) {
        var best = (length: 1, count: 1, saved: 0)
        for length in 1...longestGroup where start + 2 * length <= blocks.count {
            var count = 1
            while start + (count + 1) * length <= blocks.count,
                blocks[start..<start + length].elementsEqual(
                    blocks[start + count * length..<start + (count + 1) * length]
                )
            { count += 1 }
            // The lines of the group itself cost two.
            let saved = length * (count - 1) - 2
            if count > 1, saved > best.saved { best = (length, count, saved) }
        }
        return (best.length, best.count)
    }
}

extension SessionText.Block {
    /// The block as a line: with its name in quotes where it would be read otherwise without.
    var line: String {
        let plain = line(naming: label)
        let isSpecial = label.contains { "/():\"\\".contains($0) || $0.isNewline } || label.contains("--")
        if !isSpecial, label.first?.isLetter == true {
            var scanner = SessionTextScanner(line(naming: label, withNotes: false), line: 1)
            var block = try? scanner.block()
            block?.notes = notes
            if block == self { return plain }
        }
        return line(naming: "\"\(SessionTextScanner.escaped(label).replacing("\"", with: "\\\""))\"")
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
        if withNotes, let notes, !notes.isEmpty { parts.append("-- \(SessionTextScanner.escaped(notes))") }
        return parts.joined(separator: " ")
    }
}
