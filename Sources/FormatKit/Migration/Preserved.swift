package import StrictJSON

/// The member `x-preserved` of one object: what other versions of the format hold there and this one cannot.
///
/// It is an object with these members, each left out where it is empty:
/// - a version number such as `"2"`: an object of the members that this version would have here;
/// - `"aside"`: members that were parked for the document's own version and do not fit the object as it is now (``PreservedWrapper``);
/// - `"own"`: a member `x-preserved` that stood there and is not of this form.
///
/// Parking inside the object that the members belong to, and not at the top of the document, is what makes them follow
/// it when an older program moves, copies or deletes it.
///
/// ```json
/// {"id": "b1", "label": "Squats", "x-preserved": {"2": {"category": "Knee"}}}
/// ```
package struct Preserved {
    package static let memberName = "x-preserved"

    /// Parked members by version.
    private var parked: [(version: Int, members: JSONObject)] = []
    /// The members that do not fit the object as it is now.
    private var aside = JSONObject()
    /// A foreign member of that name.
    private var own: JSONValue?

    /// Takes the member out of an object of a version.
    package init(removingFrom object: inout JSONObject, version: Int) {
        guard let value = object.removeValue(forName: Self.memberName) else { return }
        guard Self.isOurs(value, version: version), let members = value.object else {
            own = value
            return
        }
        for member in members {
            if let number = Self.version(member.name), let object = member.value.object {
                parked.append((number, object))
            } else if member.name == PreservedWrapper.memberName, let object = member.value.object {
                aside = object
            } else {
                own = member.value
            }
        }
    }

    /// Moves to the neighbouring version: what was parked for it is handed out, to be restored as far as it fits.
    package mutating func enter(_ version: Int, fits: @escaping (String, JSONValue, JSONObject) -> Bool)
        -> PreservedTransfer
    {
        let incoming = parked.firstIndex { $0.version == version }.map { parked.remove(at: $0).members }
        return PreservedTransfer(incoming: incoming ?? JSONObject(), fits: fits)
    }

    /// Puts the member back into an object that is now of a version.
    ///
    /// - Parameter wouldReturn: Whether a value that is parked for the old version would be restored on the way back,
    ///   from the members that would come in with it.
    package mutating func store(
        _ transfer: PreservedTransfer,
        from old: Int,
        in object: inout JSONObject,
        version: Int,
        wouldReturn: @escaping (String, JSONValue, JSONObject) -> Bool
    ) {
        let leaving = PreservedWrapper(taken: transfer.leaving, fits: wouldReturn).leaving(aside)
        aside = PreservedWrapper(taken: transfer.taken, fits: transfer.fits).arriving(transfer.rest)
        if !leaving.isEmpty { parked.append((old, leaving)) }
        var members = JSONObject()
        for (version, parked) in parked.sorted(by: { $0.version < $1.version }) {
            members[String(version)] = .object(parked)
        }
        if !aside.isEmpty { members[PreservedWrapper.memberName] = .object(aside) }
        if let own {
            if members.isEmpty, !Self.isOurs(own, version: version) {
                object[Self.memberName] = own
                return
            }
            members["own"] = own
        }
        object[Self.memberName] = members.isEmpty ? nil : .object(members)
    }

    /// Tells whether ``store(_:from:in:version:wouldReturn:)`` could have written the value into an object
    /// of that version.
    private static func isOurs(_ value: JSONValue, version: Int) -> Bool {
        guard let members = value.object, !members.isEmpty else { return false }
        let holdsOwnOnly = members.count == 1 && members["own"] != nil
        return members.allSatisfy { member in
            if member.name == "own" { return !holdsOwnOnly || isOurs(member.value, version: version) }
            guard member.name == PreservedWrapper.memberName || self.version(member.name).map({ $0 != version }) == true
            else {
                return false
            }
            return member.value.object.map { !$0.isEmpty } ?? false
        }
    }

    /// Returns a version number as this type writes it; nil for any other name.
    private static func version(_ name: String) -> Int? {
        guard let number = Int(name), number > 0, String(number) == name else { return nil }
        return number
    }
}

/// The members that come and go as one object passes from a version to its neighbour.
package struct PreservedTransfer {
    /// The members that were parked for the version that is being entered.
    private let incoming: JSONObject
    /// The parked members that were restored, and those left because they do not fit.
    package private(set) var taken = JSONObject()
    package private(set) var rest: JSONObject
    /// The members that the entered version cannot hold, to be parked for the version that is left.
    package private(set) var leaving = JSONObject()
    /// Tells whether a value of that name fits the object, given all members that come in.
    package let fits: (String, JSONValue, JSONObject) -> Bool

    package init(incoming: JSONObject, fits: @escaping (String, JSONValue, JSONObject) -> Bool) {
        self.incoming = incoming
        self.fits = fits
        rest = incoming
    }

    /// Takes a parked member if it is there and fits.
    package mutating func take(_ name: String) -> JSONValue? {
        guard let value = rest[name], fits(name, value, incoming) else { return nil }
        rest[name] = nil
        taken[name] = value
        return value
    }

    /// Parks a value.
    package mutating func park(_ name: String, _ value: JSONValue) { leaving[name] = value }
}

/// The rules for what an object gets back of the members that were parked in it.
package struct PreservedRules: Sendable {
    /// Tells whether the value parked under a name fits the object as it is before the step, given all members that
    /// come in.
    package typealias Fits =
        @Sendable (_ name: String, _ value: JSONValue, _ object: JSONObject, _ incoming: JSONObject) -> Bool

    /// The rule on the way to the newer version.
    package let up: Fits
    /// The rule on the way to the older version.
    package let down: Fits

    package init(up: @escaping Fits, down: @escaping Fits) {
        self.up = up
        self.down = down
    }
}

extension JSONObject {
    /// Passes the object from a version to its neighbour; `x-preserved` comes out as the last member.
    ///
    /// - Parameters:
    ///   - rules: What fits, in both directions.
    ///   - change: Changes the members, takes from the transfer all that was parked and fits, and parks what leaves.
    package func passing(
        from old: Int,
        to new: Int,
        _ rules: PreservedRules,
        _ change: (inout JSONObject, inout PreservedTransfer) -> Void
    ) -> JSONObject {
        var object = self
        var preserved = Preserved(removingFrom: &object, version: old)
        let (there, back) = old < new ? (rules.up, rules.down) : (rules.down, rules.up)
        let before = object
        var transfer = preserved.enter(new) { there($0, $1, before, $2) }
        change(&object, &transfer)
        let after = object
        preserved.store(transfer, from: old, in: &object, version: new) { back($0, $1, after, $2) }
        return object
    }

    /// Returns the members with `names` in that order first and `x-preserved` last.
    package func ordered(_ names: [String]) -> JSONObject {
        var object = self
        let preserved = object.removeValue(forName: Preserved.memberName)
        object.sort(first: names)
        object[Preserved.memberName] = preserved
        return object
    }
}
