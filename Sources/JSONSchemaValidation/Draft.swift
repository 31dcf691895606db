/// A draft of JSON Schema.
///
/// All drafts compile to one kind of program. What differs is a table of keywords, the formats, and the few properties below.
public enum JSONSchemaDraft: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Draft 4, of 2013.
    case draft4
    /// Draft 6, of 2017.
    case draft6
    /// Draft 7, of 2018.
    case draft7
    /// Draft 2019-09.
    case draft2019
    /// Draft 2020-12.
    case draft2020

    /// The name that people and `--draft` use, such as `7` or `2020-12`.
    public var name: String {
        switch self {
        case .draft4: "4"
        case .draft6: "6"
        case .draft7: "7"
        case .draft2019: "2019-09"
        case .draft2020: "2020-12"
        }
    }

    /// Makes the draft of that name; nil for a name that is none.
    public init?(name: String) {
        guard let draft = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = draft
    }

    /// Makes the draft whose metaschema `$schema` names; nil where it names another one.
    ///
    /// An empty fragment, and `http` for `https` or the other way round, make no difference.
    init?(dialect: String) {
        let uri = URIReference(dialect)
        guard uri.scheme == "http" || uri.scheme == "https", uri.authority == "json-schema.org", uri.query == nil,
            uri.fragment?.isEmpty != false, let draft = Self.allCases.first(where: { $0.metaschemaPath == uri.path })
        else { return nil }
        self = draft
    }

    private var metaschemaPath: String {
        switch self {
        case .draft4, .draft6, .draft7: "/draft-0\(name)/schema"
        case .draft2019, .draft2020: "/draft/\(name)/schema"
        }
    }

    /// The URI of the metaschema, without a fragment.
    public var metaschemaURI: String { (self < .draft2019 ? "http" : "https") + "://json-schema.org" + metaschemaPath }

    /// The URI that the name of a vocabulary follows.
    var vocabularyBase: String { "https://json-schema.org/draft/\(name)/vocab/" }

    /// Tells whether one draft was published before another.
    public static func < (left: JSONSchemaDraft, right: JSONSchemaDraft) -> Bool { left.rawValue < right.rawValue }

    // MARK: What differs

    /// The keyword that gives a schema its URI.
    var identifier: String { self == .draft4 ? "id" : "$id" }

    /// True if `$ref` stands alone: all members beside it are ignored.
    var referenceStandsAlone: Bool { self <= .draft7 }

    /// True if a fragment of the identifier names a place, as `$anchor` does from 2019-09 on.
    var identifierNamesAnchors: Bool { self <= .draft7 }

    /// True if `items` may be an array of schemas, which `prefixItems` is from 2020-12 on.
    var itemsMayBeArray: Bool { self <= .draft2019 }

    /// True if elements that `contains` matches count as evaluated.
    var containsEvaluates: Bool { self >= .draft2020 }

    /// True if an integer is a number without a fraction, rather than a number that is written without one.
    var integersMayHaveFractions: Bool { self >= .draft6 }

    /// True if `exclusiveMinimum` and `exclusiveMaximum` are Booleans beside `minimum` and `maximum`.
    var exclusiveBoundsAreFlags: Bool { self == .draft4 }

    /// Tells whether the draft knows a keyword; members of other names are annotations.
    func knows(_ keyword: String) -> Bool { Self.keywords[keyword]?.contains(self) ?? false }

    /// All keywords of the draft.
    var keywords: [String] { Self.keywords.filter { $0.value.contains(self) }.keys.sorted() }

    /// The drafts that know each keyword.
    private static let keywords: [String: ClosedRange<JSONSchemaDraft>] = {
        let ranges: [(ClosedRange<JSONSchemaDraft>, [String])] = [
            (
                .draft4 ... .draft2020,
                [
                    "$ref", "$schema", "definitions", "dependencies", "allOf", "anyOf", "oneOf", "not", "properties",
                    "patternProperties", "additionalProperties", "items", "type", "enum", "multipleOf", "maximum",
                    "minimum", "exclusiveMaximum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems",
                    "minItems", "uniqueItems", "maxProperties", "minProperties", "required", "format", "title",
                    "description", "default",
                ]
            ),
            (.draft4 ... .draft4, ["id"]),
            (.draft4 ... .draft2019, ["additionalItems"]),
            (.draft6 ... .draft2020, ["$id", "const", "contains", "propertyNames", "examples"]),
            (
                .draft7 ... .draft2020,
                ["$comment", "if", "then", "else", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"]
            ),
            (.draft2019 ... .draft2019, ["$recursiveAnchor", "$recursiveRef"]),
            (
                .draft2019 ... .draft2020,
                [
                    "$anchor", "$defs", "$vocabulary", "dependentRequired", "dependentSchemas", "minContains",
                    "maxContains", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "deprecated",
                ]
            ),
            (.draft2020 ... .draft2020, ["$dynamicAnchor", "$dynamicRef", "prefixItems"]),
        ]
        var table: [String: ClosedRange<JSONSchemaDraft>] = [:]
        for (drafts, names) in ranges { for name in names { table[name] = drafts } }
        return table
    }()
}

extension StringFormat {
    /// Tells whether a draft defines the format.
    func isDefined(in draft: JSONSchemaDraft) -> Bool {
        switch self {
        case .dateTime, .email, .hostname, .ipv4, .ipv6, .uri: true
        case .uriReference, .uriTemplate, .jsonPointer: draft >= .draft6
        case .date, .time, .idnEmail, .idnHostname, .iri, .iriReference, .regex, .relativeJSONPointer: draft >= .draft7
        case .duration, .uuid: draft >= .draft2019
        }
    }
}
