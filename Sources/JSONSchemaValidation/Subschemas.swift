internal import StrictJSON

/// The keywords that hold subschemas.
enum Subschemas {
    private static let single: Set<String> = [
        "additionalProperties", "propertyNames", "additionalItems", "contains", "unevaluatedItems",
        "unevaluatedProperties", "not", "if", "then", "else", "contentSchema",
    ]
    private static let lists: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let maps: Set<String> = [
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies",
    ]

    /// Returns the subschemas in the value of a draft's keyword.
    static func children(of keyword: String, _ value: JSONNode, _ draft: JSONSchemaDraft) -> [JSONNode] {
        // References lead to definitions under either name, whatever the draft calls them.
        guard draft.knows(keyword) || keyword == "$defs" else { return [] }
        if keyword == "items" {
            return draft.itemsMayBeArray && value.kind == .array ? Array(value.elements) : [value]
        }
        if single.contains(keyword) { return [value] }
        if lists.contains(keyword) { return Array(value.elements) }
        if maps.contains(keyword) { return value.members.map(\.value) }
        return []
    }
}
