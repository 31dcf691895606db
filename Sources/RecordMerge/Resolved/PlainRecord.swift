internal import StrictJSON

/// A record of one version whose members stand alone or in groups, each with one value, as most records do.
///
/// It gives the same as a ``ResolvedRecordBuilder`` in a fraction of the time. Field paths and rules are both ordered
/// by name, so it looks up no name and sorts nothing.
struct PlainRecord {
    private(set) var object = JSONObject()
    private(set) var stamps: [MemberVersion] = []
    private let rules: RecordRules
    /// The members that rules name, by their index in the schema, and the others by name.
    private var known: [JSONValue?]
    private var unknown: [JSONObject.Member] = []
    /// The next of the rules by name.
    private var next = 0

    /// Resolves a version; nil where the version is not that simple.
    init?(_ version: RecordVersion, _ rules: RecordRules) {
        self.rules = rules
        if version.origins.contains(where: \.isDeleted) { return nil }
        let cells = version.cells
        known = Array(repeating: nil, count: rules.members.count)
        stamps.reserveCapacity(cells.count)
        for index in cells.indices {
            guard cells[index].writes.count == 1 else { return nil }
            let value = cells[index].writes[0].value
            switch cells[index].path.kind {
            case .member:
                guard let value else { continue }
                guard add(cells[index].path.field, value, cells[index].writes[0].stamp) else { return nil }
            case .group:
                for member in value?.object?.members ?? [] {
                    guard let place = rules.place(of: member.name), known[place] == nil else { return nil }
                    known[place] = member.value
                    stamps.append(MemberVersion(name: member.name, stamp: cells[index].writes[0].stamp))
                }
            default: return nil
            }
        }
        for place in known.indices {
            if let value = known[place] { object.append(unique: rules.members[place].name, value) }
        }
        for member in unknown { object.append(unique: member.name, member.value) }
    }

    /// Adds a member; returns false where a group already had it.
    private mutating func add(_ name: String, _ value: JSONValue, _ stamp: Stamp) -> Bool {
        while next < rules.byName.count {
            let place = rules.byName[next]
            let order = compare(rules.members[place].name, name)
            if order > 0 { break }
            next += 1
            guard order == 0 else { continue }
            guard known[place] == nil else { return false }
            known[place] = value
            stamps.append(MemberVersion(name: name, stamp: stamp))
            return true
        }
        unknown.append(JSONObject.Member(name: name, value: value))
        stamps.append(MemberVersion(name: name, stamp: stamp))
        return true
    }
}
