#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A JSON value that can be edited: what migrations, repairs and writers work on.
///
/// Members keep their order and numbers keep their token, so that a value which was read and written again is the same
/// text up to white space and escapes. Equality is that of the data as written: strings by code points (Swift's own
/// `==` would take `é` and `e` + U+0301 for equal), numbers by token (`1.0` is not `1`), objects without regard to the
/// order of their members.
///
/// ```swift
/// var value = try JSONDocument(parsing: bytes).root.value
/// value["session"]?["name"] = "Leg day"
/// ```
public enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number, as the token that stood in the text.
    case number(JSONNumber)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with its members in order.
    case object(JSONObject)
}

extension JSONValue {
    /// Returns an integer as a number.
    public static func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

    /// The value as an object, or nil where it is something else.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The value as an array, or nil where it is something else.
    public var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The value as a string, or nil where it is something else.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The value as a number token, or nil where it is something else.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The value as an integer, or nil where it is no integer that fits 64 bits.
    public var int: Int? { number?.int }

    /// The value as a Boolean, or nil where it is something else.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// True if the value is the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of that name where the value is an object.
    ///
    /// Setting nil removes the member; setting a member of anything but an object changes nothing.
    public subscript(name: String) -> JSONValue? {
        get { object?[name] }
        set {
            guard case .object(var object) = self else { return }
            self = .null  // releases the storage, so that the edit below happens in place
            object[name] = newValue
            self = .object(object)
        }
    }
}

extension JSONValue: Hashable {
    /// Tells whether both values are the same data: see the type's description.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Feeds the value to a hasher, consistently with `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .number(let number): hasher.combine(number)
        case .string(let string): hasher.combine(ScalarKey(string))
        case .array(let array): hasher.combine(array)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an integer.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object; of members with the same name the last one stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

extension String {
    /// Tells whether both strings consist of the same code points; Swift's `==` compares by canonical equivalence.
    package func hasSameScalars(as other: String) -> Bool {
        if isCopy(of: other) { return true }
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard let one = left.baseAddress, let two = right.baseAddress else { return true }
                return memcmp(one, two, left.count) == 0
            }
        }
    }

    /// Tells whether both are short strings with the same bytes, or share the memory of their bytes.
    private func isCopy(of other: String) -> Bool {
        #if _pointerBitWidth(_64)
            typealias Bits = (UInt64, UInt64)
            return unsafeBitCast(self, to: Bits.self) == unsafeBitCast(other, to: Bits.self)
        #else
            return false
        #endif
    }
}

/// A string that compares and hashes by code points, as JSON's member names do.
package struct ScalarKey: Hashable, Sendable {
    package let string: String

    package init(_ string: String) { self.string = string }

    package static func == (left: ScalarKey, right: ScalarKey) -> Bool { left.string.hasSameScalars(as: right.string) }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
