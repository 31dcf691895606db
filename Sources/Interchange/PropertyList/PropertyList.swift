internal import StrictJSON

/// The value of one key of a property list in which an app keeps its settings, and the names of the other keys.
struct PropertyList {
    /// The encodings of a property list.
    enum Form: String {
        case binary = "binary property list"
        case xml = "XML property list"
    }

    /// A value, and where it is in a text.
    struct Node {
        let kind: Kind
        var position: TextPosition?
    }

    indirect enum Kind {
        case dictionary([(key: String, value: Node)])
        case array([Node])
        case string(String)
        case data([UInt8])
        /// An integer by its digits.
        case number(String)
        case real(Double)
        case bool(Bool)
        case null
        /// A value that JSON cannot hold, in words such as `a date`.
        case other(String)

        /// The kind of the value, in words.
        var words: String {
            switch self {
            case .dictionary: "a dictionary"
            case .array: "an array"
            case .string: "a string"
            case .data: "data"
            case .number, .real: "a number"
            case .bool: "true or false"
            case .null: "null"
            case .other(let words): words
            }
        }
    }

    let form: Form
    /// The keys of the outermost dictionary.
    let keys: [String]
    /// The value of the key that was asked for.
    let value: Node?

    /// The deepest nesting that is read.
    static let depthLimit = 128
    /// The most values that are read below a key, each counted as often as it occurs.
    static let valueLimit = 200_000
    /// The most bytes of texts and data below a key, counted likewise.
    static let byteLimit = 1 << 24
}

/// An error for a property list that was not read.
struct PropertyListError: Error {
    enum Code: String {
        /// The file ends too early.
        case truncated = "plist.truncated"
        /// The file contradicts itself, or is no property list.
        case structure = "plist.structure"
        /// A value that contains itself.
        case cycle = "plist.cycle"
        /// More nesting, values or bytes than the limit.
        case limit = "plist.limit"
        /// A text that is none.
        case text = "plist.text"
        /// A key that a dictionary has twice.
        case duplicateKey = "plist.duplicate-key"
        /// There are no presets in it.
        case presets = "plist.presets"
        /// A value that JSON cannot hold.
        case value = "plist.value"
    }

    let code: Code
    let message: String
    var position: TextPosition?

    init(_ code: Code, _ message: String, at position: TextPosition? = nil) {
        self.code = code
        self.message = message
        self.position = position
    }
}

/// The remaining number of values and bytes that may be read of a property list.
struct PropertyListBudget {
    private var values = PropertyList.valueLimit
    private var bytes = PropertyList.byteLimit

    /// Takes off a value with so many bytes of text or data.
    mutating func take(bytes count: Int = 0, at position: TextPosition? = nil) throws(PropertyListError) {
        values -= 1
        bytes -= min(count, bytes + 1)
        guard values >= 0 else {
            throw PropertyListError(
                .limit,
                "more than \(PropertyList.valueLimit) values, which is the limit",
                at: position
            )
        }
        guard bytes >= 0 else {
            throw PropertyListError(
                .limit,
                "more than \(PropertyList.byteLimit) bytes, which is the limit",
                at: position
            )
        }
    }
}
