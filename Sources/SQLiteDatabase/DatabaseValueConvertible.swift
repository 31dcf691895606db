/// A type whose values a database stores.
public protocol DatabaseValueConvertible {
    /// The value as the database stores it.
    var databaseValue: DatabaseValue { get }

    /// Returns the value of this type; nil for a value of another type.
    static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

    /// Returns the value as SQLite converts it: any value has a text and a number, and those of NULL are empty and 0.
    static func converting(_ value: DatabaseValue) -> Self
}

extension DatabaseValue: DatabaseValueConvertible {
    /// The value itself.
    public var databaseValue: DatabaseValue { self }

    /// Returns the value itself.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }

    /// Returns the value itself.
    public static func converting(_ value: DatabaseValue) -> DatabaseValue { value }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The value as the database stores it; NULL for nil.
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    /// Returns the value, and nil in it for NULL.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Wrapped?? {
        value.isNull ? .some(nil) : Wrapped.fromDatabaseValue(value).map { .some($0) }
    }

    /// Returns nil for NULL, and other values as SQLite converts them.
    public static func converting(_ value: DatabaseValue) -> Wrapped? {
        value.isNull ? nil : Wrapped.converting(value)
    }
}

extension Int64: DatabaseValueConvertible {
    /// The integer.
    public var databaseValue: DatabaseValue { DatabaseValue(.int64(self)) }

    /// Returns an integer, or a real number without its fraction; nil for others.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Int64? {
        switch value.storage {
        case .int64(let number): number
        case .double(let number): Int64(exactly: number.rounded(.towardZero))
        default: nil
        }
    }

    /// Returns the number that a value is or begins with.
    public static func converting(_ value: DatabaseValue) -> Int64 {
        switch value.storage {
        case .null: 0
        case .int64(let number): number
        case .double(let number): whole(number)
        case .string(let text): leading(text)
        case .blob(let bytes): leading(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Returns the number that a text such as `12 km` begins with.
    private static func leading(_ text: String) -> Int64 {
        let text = text.drop { $0.isWhitespace }
        let sign = text.hasPrefix("-") || text.hasPrefix("+") ? 1 : 0
        let digits = text.dropFirst(sign).prefix { ("0"..."9").contains($0) }
        let number = Double(digits) ?? 0
        return Int64(text.prefix(sign) + digits) ?? whole(text.hasPrefix("-") ? -number : number)
    }

    /// Returns a real number without its fraction, or the nearest integer.
    private static func whole(_ number: Double) -> Int64 {
        Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : number.isNaN ? 0 : .max)
    }
}

extension Int: DatabaseValueConvertible {
    /// The integer.
    public var databaseValue: DatabaseValue { Int64(self).databaseValue }

    /// Returns an integer, or a real number without its fraction; nil for others.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Int? {
        Int64.fromDatabaseValue(value).flatMap { Int(exactly: $0) }
    }

    /// Returns the number that a value is or begins with.
    public static func converting(_ value: DatabaseValue) -> Int { Int(clamping: Int64.converting(value)) }
}

extension Bool: DatabaseValueConvertible {
    /// 1 or 0.
    public var databaseValue: DatabaseValue { DatabaseValue(.int64(self ? 1 : 0)) }

    /// Returns whether a number is not 0; nil for others.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
        switch value.storage {
        case .int64(let number): number != 0
        case .double(let number): number != 0
        default: nil
        }
    }

    /// Returns whether the value's integer is not 0.
    public static func converting(_ value: DatabaseValue) -> Bool { Int64.converting(value) != 0 }
}

extension Double: DatabaseValueConvertible {
    /// The real number.
    public var databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

    /// Returns a number; nil for others.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
        switch value.storage {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Returns a number, or that of a text.
    public static func converting(_ value: DatabaseValue) -> Double {
        if case .string(let text) = value.storage, let number = Double(text) { return number }
        return fromDatabaseValue(value) ?? Double(Int64.converting(value))
    }
}

extension String: DatabaseValueConvertible {
    /// The text.
    public var databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

    /// Returns a text, or a blob that is UTF-8; nil for others.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .string(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    /// Returns the text of a value.
    public static func converting(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: ""
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension [UInt8]: DatabaseValueConvertible {
    /// The bytes.
    public var databaseValue: DatabaseValue { DatabaseValue(.blob(self)) }

    /// Returns bytes, or those of a text; nil for others.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> [UInt8]? {
        switch value.storage {
        case .blob(let bytes): bytes
        case .string(let text): Array(text.utf8)
        default: nil
        }
    }

    /// Returns bytes, or those of a value's text.
    public static func converting(_ value: DatabaseValue) -> [UInt8] {
        fromDatabaseValue(value) ?? Array(String.converting(value).utf8)
    }
}
