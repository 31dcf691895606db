import RecordMerge
import StrictJSON

/// A format with every rule there is, and the same as an older program knows it.
enum AllRules {
    static let text = """
        {"properties":{
          "format":{"x-merge":"local"},"stamp":{"x-merge":"max"},
          "notes":{"type":"string","x-merge":"text"},
          "things":{"type":"array","items":{"$ref":"#/$defs/thing"},"x-merge":"records","x-key":"id"},
          "ticks":{"type":"array","items":{"$ref":"#/$defs/tick"},"x-merge":"records","x-key":["thing","day"]},
          "rows":{"type":"array","items":{"$ref":"#/$defs/row"},"x-merge":"list","x-key":"id"},
          "events":{"type":"array","items":{"$ref":"#/$defs/row"},"x-merge":"log","x-key":"id"},
          "meta":{"$ref":"#/$defs/row","x-merge":"record"}},
        "$defs":{
          "thing":{"properties":{
            "id":{},"name":{},"notes":{"x-merge":"text"},"done":{"x-group":"done"},"doneAt":{"x-group":"done"},
            "changed":{"x-merge":"max"},"made":{"x-merge":"min"},"count":{"x-merge":"counter"},
            "state":{"x-merge":"max","x-order":[["open","paused"],["closed"]]},
            "tags":{"type":"array","x-merge":"set"},"laps":{"type":"array","x-merge":"log"},
            "perfect":{"x-merge":"derived"},"loud":{"x-merge":"local"},
            "items":{"type":"array","x-merge":"list","x-key":"id","items":{"$ref":"#/$defs/item"}},
            "newer":{},"newerTags":{"type":"array","x-merge":"set"},
            "newerItems":{"type":"array","x-merge":"list","x-key":"id","items":{"$ref":"#/$defs/item"}}}},
          "tick":{"properties":{"id":{"x-merge":"min"},"thing":{},"day":{},"at":{"x-merge":"min"}}},
          "row":{"properties":{"id":{},"name":{},"size":{},"newer":{}}},
          "item":{"properties":{"id":{},"label":{},"mode":{"x-group":"timing"},"seconds":{"x-group":"timing"},
            "notes":{"x-merge":"text"},"newer":{}}}}}
        """

    static func schema() throws -> MergeSchema { try MergeSchema(reading: try json(text)) }

    /// The same without the members whose names begin with "newer".
    static func older() throws -> MergeSchema { try MergeSchema(reading: withoutNewer(try json(text))) }

    private static func withoutNewer(_ value: JSONValue) -> JSONValue {
        guard case .object(var object) = value else { return value }
        for member in object {
            object[member.name] = member.name.hasPrefix("newer") ? JSONValue?.none : withoutNewer(member.value)
        }
        return .object(object)
    }
}
