public import CivilTime
internal import JSONSchemaValidation

/// The name of a backup: `Slate-20260107.json`, and `Slate-20260107-2.json` for the second one of a day.
///
/// The date is that of `exported_at` as it is written there, in its own offset. Names are compared by date, number and
/// kind, so that the largest is the newest.
///
/// ```swift
/// SlateFileName(exportedAt: "2026-01-07T23:30:00-07:00", kind: .json)?.description  // Slate-20260107.json
/// ```
public struct SlateFileName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The kinds of file.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The document alone, `.json`.
        case json
        /// The document with its manifest in an archive, `.slatebackup`.
        case archive = "slatebackup"
        /// The document alone, encrypted, `.json.age`.
        case encryptedJSON = "json.age"
        /// The archive, encrypted, `.slatebackup.age`.
        case encryptedArchive = "slatebackup.age"

        /// The same kind, encrypted.
        public var encrypted: Kind { self == .json || self == .encryptedJSON ? .encryptedJSON : .encryptedArchive }
    }

    /// The numbers that a name can have.
    public static let numbers = 1...999_999_999

    /// The date.
    public let day: CivilDay
    /// The number among the files of that day, from 1; the name shows it from 2.
    public let number: Int
    /// The kind of the file.
    public let kind: Kind

    /// Makes a name; nil where the number is none of ``numbers`` or the year has not four digits.
    public init?(day: CivilDay, number: Int = 1, kind: Kind) {
        guard Self.numbers.contains(number), CivilDay(day.description) == day else { return nil }
        self.day = day
        self.number = number
        self.kind = kind
    }

    /// Makes the name for a document by its `exported_at`; nil where that is no date and time with an offset (RFC
    /// 3339).
    public init?(exportedAt: String, number: Int = 1, kind: Kind) {
        guard let moment = RFC3339.parse(exportedAt),
            let day = CivilDay(year: moment.year, month: moment.month, day: moment.day)
        else { return nil }
        self.init(day: day, number: number, kind: kind)
    }

    /// Makes the name of a file; nil where it is no such name.
    ///
    /// It has to match letter by letter: in this case, with a date that exists, and without leading zeros in the
    /// number.
    public init?(_ name: String) {
        let bytes = Array(name.utf8.prefix(Self.longest + 1))
        let dot = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
        guard bytes.count <= Self.longest, bytes.starts(with: Self.prefix.utf8), dot >= Self.dateEnd,
            let kind = Kind(rawValue: String(decoding: bytes[dot...].dropFirst(), as: UTF8.self)),
            let year = Self.value(bytes[6..<10]), let month = Self.value(bytes[10..<12]),
            let date = Self.value(bytes[12..<14]), let day = CivilDay(year: year, month: month, day: date),
            let number = Self.number(bytes[Self.dateEnd..<dot])
        else { return nil }
        self.init(day: day, number: number, kind: kind)
    }

    /// The name for the next one of the same day and kind, or nil after the last number.
    public var next: SlateFileName? { SlateFileName(day: day, number: number + 1, kind: kind) }

    /// The file's name.
    public var description: String {
        let date = day.description.split(separator: "-").joined()
        return "\(Self.prefix)\(date)\(number == 1 ? "" : "-\(number)").\(kind.rawValue)"
    }

    /// Returns whether one is older: by date, by number, a document before an archive, and what is encrypted last.
    public static func < (left: SlateFileName, right: SlateFileName) -> Bool { left.key < right.key }

    private var key: (CivilDay, Int, Int) { (day, number, Kind.allCases.firstIndex(of: kind) ?? 0) }

    private static let prefix = "Slate-"
    /// The end of the date in a name: six characters and eight digits.
    private static let dateEnd = 14
    /// The length of the longest name: with a hyphen, nine digits and the longer ending.
    private static let longest = dateEnd + 10 + 16

    private static func number(_ suffix: ArraySlice<UInt8>) -> Int? {
        guard let hyphen = suffix.first else { return 1 }
        let digits = suffix.dropFirst()
        guard hyphen == UInt8(ascii: "-"), digits.first != UInt8(ascii: "0"), let number = value(digits), number > 1
        else { return nil }
        return number
    }

    /// Returns the number that one to nine digits spell.
    private static func value(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
