package import RecordMerge
package import StrictJSON

/// The result of a merge, as lines for people and as JSON.
package struct MergeReport {
    private let merge: DocumentMerge
    private let output: String
    private let wording: Wording

    /// The words of a format for its records and values; nil stands for their keys and JSON.
    package struct Wording {
        /// Returns the words for a place: a record, and the names from there on.
        package var place: (RecordKey, [String]) -> String?
        /// Returns the words for a value at such a place.
        package var value: (JSONValue) -> String?
        /// Returns the title of a record that is named by its key.
        var title: (RecordKey) -> String? = { _ in nil }

        /// Makes a wording.
        package init(place: @escaping (RecordKey, [String]) -> String?, value: @escaping (JSONValue) -> String?) {
            (self.place, self.value) = (place, value)
        }

        /// Makes a wording of keys and JSON, with the titles of records.
        package init(title: @escaping (RecordKey) -> String? = { _ in nil }) {
            self.init(place: { _, _ in nil }, value: { _ in nil })
            self.title = title
        }
    }

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - output: The file that was written.
    ///   - wording: The words for people; by default keys and JSON.
    package init(
        _ merge: DocumentMerge,
        output: String,
        wording: Wording = Wording()
    ) {
        self.merge = merge
        self.output = output
        self.wording = wording
    }

    /// A line for each conflict, and how many there are.
    package var text: String {
        let count = merge.conflicts.count
        let lines = merge.conflicts.map { TerminalText.safe(line($0)) }
        let summary =
            count == 0
            ? "Merged into \(output), without conflicts."
            : "\(Words.count(count, "conflict")): \(output == "-" ? "the merged file" : output) has what is kept."
        return (lines + [TerminalText.safe(summary)]).map { $0 + "\n" }.joined()
    }

    private func line(_ conflict: Conflict) -> String {
        let key = conflict.key
        let title = wording.title(key).map { " \"\(TerminalText.cut($0, to: Words.nameColumns))\"" } ?? ""
        let record = key == .document ? "the file" : "\(key.collection) \(Self.readable(key.key))\(title)"
        let place =
            wording.place(key, conflict.path) ?? ([record] + conflict.path.map(Self.name)).joined(separator: " ")
        switch conflict.kind {
        case .value:
            let others = conflict.others.map { shown($0.value) }.joined(separator: ", ")
            return "\(place): \(shown(conflict.shown)) is kept, the other file has \(others)"
        case .moved: return "\(place): moved to different places; that of the first file is kept"
        case .deletedRecord: return "\(place): deleted in one file and changed in the other; it is kept"
        case .removedElement: return "\(place): removed in one file and changed in the other; it is kept"
        case .oneSided: return "\(place): only one of the files has it; it is kept"
        case .repaired: return "\(place): \(conflict.explanation ?? "corrected"); it is now \(shown(conflict.shown))"
        }
    }

    /// Returns the name of a record or an element as a person reads it: without a key it is the element's value.
    ///
    /// The merge puts line feeds before a value, and one before the number of an element that comes several times.
    package static func readable(_ name: String) -> String {
        let parts = name.split(separator: "\n")
        let isNumbered = parts.count == 2 && Int(parts[1]) != nil
        guard name.hasPrefix("\n") || isNumbered else { return name }
        return parts.joined(separator: ", number ")
    }

    private static func name(_ name: String) -> String { TerminalText.cut(readable(name), to: Words.nameColumns) }

    private func shown(_ value: JSONValue?) -> String {
        let text = value.flatMap(wording.value) ?? value?.text(.compact) ?? "(absent)"
        return TerminalText.cut(text, to: Words.nameColumns)
    }

    /// The report as `Schemas/cli/merge.schema.json` has it.
    package var json: JSONValue {
        let conflicts = merge.conflicts.map { conflict in
            var object: JSONObject = [
                "kind": .string(conflict.kind.rawValue),
                "collection": .string(conflict.key.collection),
                "key": .string(conflict.key.key),
                "path": .array(conflict.path.map { .string($0) }),
            ]
            object["kept"] = conflict.shown
            if conflict.kind == .value {
                object["others"] = .array(
                    conflict.others.map { other in
                        var object = JSONObject()
                        object["value"] = other.value
                        return .object(object)
                    }
                )
            }
            object["explanation"] = conflict.explanation.map { .string($0) }
            return JSONValue.object(object)
        }
        return ["output": .string(output), "conflicts": .array(conflicts)]
    }

    /// Prints the report: beside a merged file that goes to the standard output, on the standard error stream.
    ///
    /// - Throws: `findings` where there are conflicts.
    package func finish(_ format: FormatOption) throws {
        if output == "-" {
            if !merge.conflicts.isEmpty { StandardError.write(text) }
        } else {
            try format.print(text, json)
        }
        if !merge.conflicts.isEmpty { throw ExitStatus.findings.exitCode }
    }
}
