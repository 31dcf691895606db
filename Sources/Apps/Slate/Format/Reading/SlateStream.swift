import FormatKit
public import JSONSchemaValidation
import RecordStore
public import StrictJSON

/// Looks through an export while reading it, in memory that does not grow with it.
///
/// That is enough to check a file that was just written, or to count what an earlier one holds; what identifiers and
/// references say needs ``SlateFormat``.
public enum SlateStream {
    /// The versions and the numbers of rows of an export.
    public struct Outline: Sendable, Hashable {
        /// The version, where there is one.
        public var version: Int?
        /// The moment of the export, where there is one.
        public var exportedAt: String?
        /// The rows of each table that the version has; one that is missing has none, and what is parked under
        /// `x-preserved` does not count.
        public var counts: [SlateTable: Int] = [:]

        /// The rows of all tables.
        public var count: Int { counts.values.reduce(0, +) }
    }

    /// Holds an export against the schema of a version.
    ///
    /// - Throws: A `JSONError` for what is no JSON, `version.invalid` for a version that there is none of, and whatever
    ///   the source throws.
    public static func validate(_ source: JSONByteSource, version: Int) throws -> ValidationReport {
        try SlateFormat.versions.schema(version).validate(source)
    }

    /// Counts the rows of an export of any version.
    ///
    /// - Throws: A `JSONError` for what is no JSON, and whatever the source throws.
    public static func outline(_ source: JSONByteSource) throws -> Outline {
        var outline = Outline()
        var reader = try JSONStreamReader(source)
        guard try reader.peek() == UInt8(ascii: "{") else {
            try reader.readValue()
            try reader.finish()
            return outline
        }
        try reader.open()
        while let (name, _) = try reader.next() {
            let name = reader.names.string(name)
            if let table = SlateTable(rawValue: name), try reader.peek() == UInt8(ascii: "[") {
                outline.counts[table] = try elements(&reader)
            } else {
                try reader.readValue()
                if name == SlateMember.version { outline.version = version(reader) }
                if name == SlateMember.exportedAt { outline.exportedAt = token(reader, .string) }
            }
        }
        try reader.finish()
        // A table that came with a later version is a member of the writer's own in an earlier one.
        outline.counts = outline.counts.filter { $0.key.firstVersion <= outline.version ?? .max }
        return outline
    }

    /// Returns the moment of an export of any version; nil where there is none.
    ///
    /// It reads no further than that moment.
    ///
    /// - Throws: A `JSONError` for what is no JSON, and whatever the source throws.
    public static func exportedAt(_ source: JSONByteSource) throws -> String? {
        var reader = try JSONStreamReader(source)
        guard try reader.peek() == UInt8(ascii: "{") else { return nil }
        try reader.open()
        while let (name, _) = try reader.next() {
            let isMoment = reader.names.string(name) == SlateMember.exportedAt
            if try !isMoment && reader.peek() == UInt8(ascii: "[") {
                _ = try elements(&reader)
                continue
            }
            try reader.readValue()
            if isMoment { return token(reader, .string) }
        }
        return nil
    }

    /// Returns the tasks and habits of an export of any version, as far as their identifiers have no escapes.
    ///
    /// It reads no further than both tables.
    ///
    /// - Throws: A `JSONError` for what is no JSON, and whatever the source throws.
    public static func identity(_ source: JSONByteSource) throws -> SlateIdentity {
        var keys: Set<String> = []
        var tables: Set<SlateTable> = [.tasks, .habits]
        var reader = try JSONStreamReader(source)
        guard try reader.peek() == UInt8(ascii: "{") else { return SlateIdentity() }
        try reader.open()
        while !tables.isEmpty, let (name, _) = try reader.next() {
            guard let table = SlateTable(rawValue: reader.names.string(name)), tables.remove(table) != nil,
                try reader.peek() == UInt8(ascii: "[")
            else {
                try reader.readValue()
                continue
            }
            try reader.open()
            while try reader.next() != nil {
                guard try reader.peek() == UInt8(ascii: "{") else {
                    try reader.readValue()
                    continue
                }
                try reader.open()
                while let (name, _) = try reader.next() {
                    let isKey = reader.names.string(name) == "id"
                    try reader.readValue()
                    if isKey, let key = token(reader, .string) { keys.insert(key) }
                }
            }
        }
        return SlateIdentity(keys)
    }

    private static func elements(_ reader: inout JSONStreamReader) throws -> Int {
        var count = 0
        try reader.open()
        while try reader.next() != nil {
            try reader.readValue()
            count += 1
        }
        return count
    }

    /// Returns the value that was read last, where it is a whole number; `2.0` is one.
    private static func version(_ reader: borrowing JSONStreamReader) -> Int? {
        if let token = token(reader, .integer) { return Int(token) }
        return token(reader, .decimal).flatMap { Double($0) }.flatMap { Int(exactly: $0) }
    }

    /// Returns the text of the value that was read last, where it is of that kind and has no escapes.
    private static func token(_ reader: borrowing JSONStreamReader, _ tag: TapeWord.Tag) -> String? {
        let word = TapeWord(bits: reader.words[0])
        guard word.tag == tag else { return nil }
        let start = word.offset + (tag == .string ? 1 : 0)
        return String(decoding: UnsafeBufferPointer(start: reader.text + start, count: word.payload), as: UTF8.self)
    }
}
