internal import StrictJSON

/// Reads rules from a schema.
struct MergeSchemaReader {
    let schema: JSONValue
    private var byIdentifier: [String: JSONValue] = [:]
    private var depth = 0

    private static let deepest = 32

    init(schema: JSONValue, others: [JSONValue]) {
        self.schema = schema
        for other in others {
            guard let identifier = other["$id"]?.string else { continue }
            byIdentifier[identifier] = Self.absolute(other, identifier)
        }
    }

    /// Returns the schema with absolute references to itself, so that another schema can follow them.
    private static func absolute(_ value: JSONValue, _ identifier: String) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { absolute($0, identifier) })
        case .object(var object):
            for member in object {
                if member.name == "$ref", let reference = member.value.string, reference.utf8.first == UInt8(ascii: "#")
                {
                    object["$ref"] = .string(identifier + reference)
                } else {
                    object[member.name] = absolute(member.value, identifier)
                }
            }
            return .object(object)
        default: return value
        }
    }

    /// Reads the rules of an object's members.
    mutating func rules(
        of object: JSONValue,
        at pointer: JSONPointer,
        isDocument: Bool
    ) throws(MergeSchemaError) -> RecordRules {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else {
            throw MergeSchemaError(pointer: pointer, message: "found schemas that refer to each other without end")
        }
        var members: [MemberRule] = []
        var groups: [String: String] = [:]
        for property in object["properties"]?.object?.members ?? [] {
            let place = pointer.appending("properties").appending(property.name)
            var member = try member(property.name, property.value, place, isDocument)
            if let group = property.value["x-group"] {
                guard let name = group.string, [.register, .min, .max].contains(member.rule) else {
                    throw MergeSchemaError(
                        pointer: place.appending("x-group"),
                        message: "found \(group.text(.compact)), expected the name of a group on a register, min or max"
                    )
                }
                member.group = groups[name] ?? property.name
                groups[name] = member.group
            }
            members.append(member)
        }
        return RecordRules(members)
    }

    private mutating func member(
        _ name: String,
        _ property: JSONValue,
        _ place: JSONPointer,
        _ isDocument: Bool
    ) throws(MergeSchemaError) -> MemberRule {
        let target = try resolve(property, place)
        let items = try target["items"].map { items throws(MergeSchemaError) in
            try resolve(items, place.appending("items"))
        }
        let rule = try rule(property["x-merge"] ?? target["x-merge"], place, isDocument)
        if rule == nil, items?["properties"] != nil || isDocument && target["properties"] != nil {
            throw MergeSchemaError(
                pointer: place,
                message: "found objects without \"x-merge\", expected a rule for them"
            )
        }
        var elements: ElementRules?
        switch rule ?? .register {
        case .record:
            elements = ElementRules(
                key: KeyRule("id"),
                record: try rules(of: target, at: place, isDocument: false)
            )
        case .records, .list, .log:
            if let items, items["properties"] != nil {
                let record = try rules(of: items, at: place.appending("items"), isDocument: false)
                let key = try key(property["x-key"] ?? target["x-key"], place, record)
                elements = ElementRules(key: key, record: record)
            } else if rule == .records {
                throw MergeSchemaError(pointer: place, message: "found \"records\" on an array without objects")
            }
        default: break
        }
        return MemberRule(
            name: name,
            rule: rule ?? .register,
            group: nil,
            order: try order(property["x-order"], place),
            isMoment: target["format"]?.string == "date-time",
            isOfDocument: isDocument,
            elements: elements
        )
    }

    private func rule(
        _ keyword: JSONValue?,
        _ place: JSONPointer,
        _ isDocument: Bool
    ) throws(MergeSchemaError) -> MergeRule? {
        guard let keyword else { return nil }
        guard let rule = keyword.string.flatMap(MergeRule.init(rawValue:)) else {
            let known = MergeRule.allCases.map(\.rawValue).joined(separator: ", ")
            throw MergeSchemaError(
                pointer: place.appending("x-merge"),
                message: "found \(keyword.text(.compact)), expected one of \(known)"
            )
        }
        if !isDocument, rule == .records || rule == .record {
            throw MergeSchemaError(
                pointer: place.appending("x-merge"),
                message: "found \"\(rule.rawValue)\" inside a record, expected it on a member of the document"
            )
        }
        return rule
    }

    private func key(
        _ keyword: JSONValue?,
        _ place: JSONPointer,
        _ record: RecordRules
    ) throws(MergeSchemaError) -> KeyRule {
        let key: KeyRule
        switch keyword {
        case nil: key = KeyRule("id")
        case .string(let name)?: key = KeyRule(name)
        case .array(let names)?:
            key = KeyRule(names.compactMap(\.string), condition: [:], identifier: "id")
        case .object(let object)?:
            key = KeyRule(
                object["members"]?.array?.compactMap(\.string) ?? [],
                condition: object["where"]?.object ?? [:],
                identifier: "id"
            )
        default: key = KeyRule([], condition: [:], identifier: "id")
        }
        let missing = key.members.first { record[$0] == nil }
        guard !key.members.isEmpty, missing == nil else {
            throw MergeSchemaError(
                pointer: place.appending("x-key"),
                message: "found \(keyword?.text(.compact) ?? "no key and no member \"id\""), expected names of members"
            )
        }
        return key
    }

    private func order(_ keyword: JSONValue?, _ place: JSONPointer) throws(MergeSchemaError) -> [[JSONValue]] {
        guard let keyword else { return [] }
        guard let ranks = keyword.array else {
            throw MergeSchemaError(
                pointer: place.appending("x-order"),
                message: "found \(keyword.text(.compact)), expected an array of values from the smallest"
            )
        }
        return ranks.map { $0.array ?? [$0] }
    }

    /// Returns the schema that a `$ref` leads to, or the schema itself.
    private func resolve(_ schema: JSONValue, _ place: JSONPointer) throws(MergeSchemaError) -> JSONValue {
        var schema = schema
        for _ in 0..<Self.deepest {
            guard let reference = schema["$ref"]?.string else { return schema }
            let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let document = parts[0].isEmpty ? self.schema : byIdentifier[String(parts[0])]
            guard let target = document?[JSONPointer(parts.count > 1 ? String(parts[1]) : "") ?? .root] else {
                break
            }
            schema = target
        }
        throw MergeSchemaError(pointer: place, message: "found a \"$ref\" that leads nowhere")
    }
}
