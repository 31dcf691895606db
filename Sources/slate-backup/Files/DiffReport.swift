internal import CommandSupport
internal import Slate
internal import StrictJSON

/// Writes differences as they are found, so that there may be any number of them.
final class DiffReport {
    /// The number of differences so far.
    private(set) var count = 0
    private let format: OutputFormat
    private let painter = Painter.output
    private var counts: [SlateDiff.Kind: Int] = [:]
    private var writer: JSONWriter

    init(_ old: String, _ new: String, _ format: OutputFormat) throws(CommandFailure) {
        self.format = format
        writer = JSONWriter(style: .indented) { try StandardOutput.shared.write(Array($0)) }
        switch format {
        case .text:
            try StandardOutput.shared.write("--- \(TerminalText.safe(old))\n+++ \(TerminalText.safe(new))\n")
        case .json:
            writer.beginObject()
            writer.name("old")
            writer.string(old)
            writer.name("new")
            writer.string(new)
            writer.name("records")
            writer.beginArray()
        }
    }

    /// Writes a difference.
    func add(_ record: SlateDiff.Record) throws(CommandFailure) {
        count += 1
        counts[record.kind, default: 0] += 1
        switch format {
        case .text: try StandardOutput.shared.write(painter.paintChange(TerminalText.safe(Self.text(record))) + "\n")
        case .json: writer.value(Self.json(record))
        }
    }

    /// Writes how many there were.
    func finish() throws {
        switch format {
        case .text:
            let parts = SlateDiff.Kind.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
            try StandardOutput.shared.write(count == 0 ? Messages.noDifferences : "\(parts).\n")
        case .json:
            writer.endArray()
            writer.name("summary")
            writer.beginObject()
            for kind in SlateDiff.Kind.allCases {
                writer.name(kind.rawValue)
                writer.number(counts[kind] ?? 0)
            }
            writer.endObject()
            writer.endObject()
            try writer.finish()
        }
    }

    static func text(_ record: SlateDiff.Record) -> String {
        let sign =
            switch record.kind {
            case .added: "+"
            case .removed: "-"
            case .changed: "~"
            }
        let title = record.title.map { " \"\(TerminalText.cut($0, to: Words.nameColumns))\"" } ?? ""
        let head = "\(sign) \(record.part.name) \(record.key)\(title)"
        let isMember = record.part == .meta
        guard record.kind == .changed || isMember else { return head }
        let fields = record.fields.map { field in
            let name = isMember ? "" : "\(field.name) "
            guard record.kind == .changed else { return name + shown(field.new ?? field.old) }
            return "\(name)\(shown(field.old)) → \(shown(field.new))"
        }
        return "\(head): \(fields.joined(separator: ", "))"
    }

    private static func shown(_ value: JSONValue?) -> String {
        TerminalText.cut(value?.text(.compact) ?? "(absent)", to: Words.nameColumns)
    }

    static func json(_ record: SlateDiff.Record) -> JSONValue {
        [
            "kind": .string(record.kind.rawValue),
            "table": .string(record.part.name),
            "key": .string(record.key),
            "title": record.title.map { .string($0) } ?? .null,
            "fields": .array(
                record.fields.map { field in
                    var object: JSONObject = ["name": .string(field.name)]
                    object["old"] = field.old
                    object["new"] = field.new
                    return .object(object)
                }
            ),
        ]
    }
}
