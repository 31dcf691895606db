import StrictJSON

/// The member `x-preserved` of one object: what other versions of the format hold there and this one cannot.
///
/// It is an object with these members, each left out where it is empty:
/// - a version number such as `"2"`: an object of the members that this version would have here;
/// - `"aside"`: members that were parked for the document's own version and do not fit the object as it is now;
/// - `"own"`: a member `x-preserved` that stood there and is not of this form.
///
/// Parking inside the object that the members belong to, and not at the top of the document, is what makes them follow
/// it when an older program moves, copies or deletes it.
///
/// ```json
/// {"id": "b1", "label": "Squats", "x-preserved": {"2": {"category": "Knee"}}}
/// ```
struct Preserved {
    static let memberName = "x-preserved"

    /// Parked members by version.
    private var parked: [(version: Int, members: JSONObject)] = []
    /// What does not fit the object as it is now.
    private var aside = JSONObject()
    /// A foreign member of that name.
    private var own: JSONValue?

    /// Takes the member out of an object of a version.
    init(removingFrom object: inout JSONObject, version: Int) {
        guard let value = object.removeValue(forName: Self.memberName) else { return }
        guard Self.isOurs(value, version: version), let members = value.object else {
            own = value
            return
        }
        for member in members {
            if let number = Self.version(member.name), let object = member.value.object {
                parked.append((number, object))
            } else if member.name == "aside", let object = member.value.object {
                aside = object
            } else {
                own = member.value
            }
        }
    }

    /// Moves to the neighbouring version: what was parked for it is handed out, to be restored as far as it fits.
    mutating func enter(_ version: Int, from old: Int) -> Passage {
        let incoming = parked.firstIndex { $0.version == version }.map { parked.remove(at: $0).members }
        let passage = Passage(incoming: incoming ?? JSONObject(), leaving: aside)
        aside = JSONObject()
        return passage
    }

    /// Puts the member back into an object that is now of a version.
    mutating func store(_ passage: Passage, from old: Int, in object: inout JSONObject, version: Int) {
        aside = passage.incoming
        if !passage.leaving.isEmpty { parked.append((old, passage.leaving)) }
        var members = JSONObject()
        for (version, parked) in parked.sorted(by: { $0.version < $1.version }) {
            members[String(version)] = .object(parked)
        }
        if !aside.isEmpty { members["aside"] = .object(aside) }
        if let own {
            if members.isEmpty, !Self.isOurs(own, version: version) {
                object[Self.memberName] = own
                return
            }
            members["own"] = own
        }
        object[Self.memberName] = members.isEmpty ? nil : .object(members)
    }

    /// Whether a value is what ``store(_:from:in:version:)`` writes into an object of that version.
    private static func isOurs(_ value: JSONValue, version: Int) -> Bool {
        guard let members = value.object, !members.isEmpty else { return false }
        let holdsOwnOnly = members.count == 1 && members["own"] != nil
        return members.allSatisfy { member in
            if member.name == "own" { return !holdsOwnOnly || isOurs(member.value, version: version) }
            guard member.name == "aside" || self.version(member.name).map({ $0 != version }) == true else {
                return false
            }
            return member.value.object.map { !$0.isEmpty } ?? false
        }
    }

    /// A version number as this type writes it.
    private static func version(_ name: String) -> Int? {
        guard let number = Int(name), number > 0, String(number) == name else { return nil }
        return number
    }
}

/// The members that come and go as one object passes from a version to its neighbour.
struct Passage {
    /// What was parked for the version that is being entered; what fits is taken, the rest is kept aside.
    private(set) var incoming: JSONObject
    /// What the version that is being entered cannot hold, to be parked for the one that is being left.
    private(set) var leaving: JSONObject

    /// Takes a parked member if it is there and fits.
    mutating func take(_ name: String, where fits: (JSONValue) -> Bool = { _ in true }) -> JSONValue? {
        guard let value = incoming[name], fits(value) else { return nil }
        incoming[name] = nil
        return value
    }

    /// Parks a value.
    mutating func park(_ name: String, _ value: JSONValue) { leaving[name] = value }
}

extension JSONObject {
    /// Passes the object from a version to its neighbour; `x-preserved` comes out as the last member.
    ///
    /// - Parameter change: Changes the members, takes from the passage what was parked and fits, and parks what leaves.
    func passing(
        from old: Int,
        to new: Int,
        _ change: (inout JSONObject, inout Passage) -> Void
    ) -> JSONObject {
        var object = self
        var preserved = Preserved(removingFrom: &object, version: old)
        var passage = preserved.enter(new, from: old)
        change(&object, &passage)
        preserved.store(passage, from: old, in: &object, version: new)
        return object
    }

    /// The members with `names` in that order first and `x-preserved` last.
    func ordered(_ names: [String]) -> JSONObject {
        var object = self
        let preserved = object.removeValue(forName: Preserved.memberName)
        object.sort(first: names)
        object[Preserved.memberName] = preserved
        return object
    }
}
