internal import StrictJSON

/// Which keywords hold subschemas.
enum Subschemas {
    private static let single: Set<String> = [
        "additionalProperties", "propertyNames", "items", "contains", "unevaluatedItems", "unevaluatedProperties",
        "not", "if", "then", "else", "contentSchema",
    ]
    private static let lists: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let maps: Set<String> = [
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies",
    ]

    /// The subschemas in a keyword's value.
    static func children(of keyword: String, _ value: JSONNode) -> [JSONNode] {
        if single.contains(keyword) { return [value] }
        if lists.contains(keyword) { return Array(value.elements) }
        if maps.contains(keyword) { return value.members.map(\.value) }
        return []
    }
}
