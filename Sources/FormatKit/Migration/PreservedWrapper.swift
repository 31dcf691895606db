package import StrictJSON

/// Moves the member `aside` between an object and what is parked for the object's version, so that the way back finds it.
///
/// Usually its members simply join the parked ones: they did not fit and will not fit on the way back. Where one of them
/// has the name of a member that is parked, or would fit (an older program changed the object, or somebody wrote it),
/// that would lose it or restore what was not there. Then all of it is parked as one member `"aside"`.
package struct PreservedWrapper {
    package static let memberName = "aside"

    /// The members that pass from the object to the parked ones on the way out, and back again on the way in.
    package let taken: JSONObject
    /// Tells whether a parked value would be restored, given all that is parked.
    package let fits: (String, JSONValue, JSONObject) -> Bool

    /// Returns all members to be parked for the version that is left.
    package func leaving(_ aside: JSONObject) -> JSONObject {
        mustBeWrapped(aside) ? joined(taken, [Self.memberName: .object(aside)]) : joined(taken, aside)
    }

    /// Returns the members that are aside in the entered version, of those that were parked for it and not taken.
    package func arriving(_ rest: JSONObject) -> JSONObject {
        guard rest.count == 1, let aside = rest[Self.memberName]?.object, mustBeWrapped(aside) else { return rest }
        return aside
    }

    /// Tells whether `aside` has to be wrapped: its members would fit, or it is wrapped already.
    private func mustBeWrapped(_ aside: JSONObject) -> Bool {
        let incoming = joined(taken, aside)
        if aside.contains(where: { taken[$0.name] != nil || fits($0.name, $0.value, incoming) }) { return true }
        guard aside.count == 1, let inner = aside[Self.memberName]?.object else { return false }
        return mustBeWrapped(inner)
    }

    private func joined(_ members: JSONObject, _ others: JSONObject) -> JSONObject {
        var members = members
        for member in others where members[member.name] == nil { members[member.name] = member.value }
        return members
    }
}
