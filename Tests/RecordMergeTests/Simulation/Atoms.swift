import RecordMerge
import StrictJSON

/// A record taken apart naively, for the oracle: text of a place to value.
///
/// It is written without the engine's own means.
struct Atoms {
    var values: [String: JSONValue] = [:]
    /// For each list the elements in order.
    var lists: [String: [String]] = [:]

    init() {}

    init(_ object: JSONObject, _ rules: RecordRules) {
        for member in object {
            let name = member.name
            let rule = rules[name]
            switch rule?.rule ?? .register {
            case .local, .derived: continue
            case .set, .log:
                values["m:\(name)"] = []
                for element in member.value.array ?? [] { values["s:\(name)|\(element.text(.canonical))"] = element }
            case .list:
                values["m:\(name)"] = []
                let elements = member.value.array ?? []
                lists[name] = elements.compactMap { $0["id"]?.string }
                for element in elements {
                    let id = element["id"]?.string ?? ""
                    for part in element.object?.members ?? [] {
                        if let group = rule?.elements?.record[part.name]?.group {
                            add(part, to: "i:\(name)|\(id)|g:\(group)")
                        } else {
                            values["i:\(name)|\(id)|\(part.name)"] = part.value
                        }
                    }
                }
            case .counter: values["c:\(name)"] = member.value
            default:
                if let group = rule?.group { add(member, to: "g:\(group)") } else { values["m:\(name)"] = member.value }
            }
        }
    }

    private mutating func add(_ member: JSONObject.Member, to path: String) {
        var object = values[path]?.object ?? [:]
        object[member.name] = member.value
        values[path] = .object(object)
    }

    /// The element of a list that a place belongs to.
    static func item(_ path: String) -> String? {
        guard path.hasPrefix("i:") else { return nil }
        return path.split(separator: "|").prefix(2).joined(separator: "|")
    }

    /// The member of the record.
    static func member(_ path: String) -> String {
        String(path.dropFirst(2).split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)[0])
    }

    /// The last name of a place of an element.
    static func part(_ path: String) -> String {
        let last = path.split(separator: "|", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        return last.hasPrefix("g:") ? String(last.dropFirst(2)) : last
    }
}
