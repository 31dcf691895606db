import FormatKit
public import GymPulse
public import StrictJSON

/// One step of an import plan, with its reason and its place in the file.
public struct ImportAction: Sendable, Hashable {
    /// The verbs of an action.
    public enum Verb: String, Sendable, Hashable {
        /// A session or an activity is added to the store.
        case create
        /// A session or a preset of the store gets the content of the file's.
        case update
        /// Nothing is done, as the store has the same already.
        case skip
        /// A value is stored otherwise than the file has it.
        case remap
        /// Nothing is done, as the plan of the store does not allow it.
        case refuse
    }

    /// The kinds of record that an action concerns.
    public enum Subject: String, Sendable, Hashable {
        /// A session.
        case session
        /// An activity of the library.
        case activity
        /// The category of a block or activity, or a custom category of the settings.
        case category
        /// The reference of a block to a saved activity.
        case template
        /// A preset of GymPulse.
        case preset
    }

    /// The record that an action writes.
    public enum Payload: Sendable, Hashable {
        /// A session with its new identifiers.
        case session(SessionTemplate)
        /// A session that takes the place of the one with its identifier.
        case replacement(SessionTemplate)
        /// An activity with its new identifier.
        case activity(BlockTemplate)
        /// A custom category to append to the settings.
        case category(String)
        /// A preset with its new identifier.
        case preset(Preset)
        /// A preset that takes the place of the one with its identifier.
        case presetReplacement(Preset)
    }

    /// The verb of the action.
    public var verb: Verb
    /// The kind of record that it concerns.
    public var subject: Subject
    /// The name of the session, the label of the activity or block.
    public var name: String
    /// The reason, in one sentence.
    public var reason: String
    /// The place in the file, as the file has it.
    public var pointer: JSONPointer
    /// The record to write, where there is one.
    public var payload: Payload?

    /// The action as one line: `create session "Leg day": 3 blocks, 95 s (at /session)`.
    public var description: String {
        let place = pointer.tokens.isEmpty ? "the top level" : pointer.description
        return "\(verb.rawValue) \(subject.rawValue) \"\(name)\": \(reason) (at \(place))"
    }

    /// Returns the action for `--format json`: `action`, `subject`, `name`, `reason`, `pointer` and the `id` of what is
    /// created.
    ///
    /// - Parameter isDryRun: Whether nothing is created, and so has no identifier.
    public func json(isDryRun: Bool) -> JSONValue {
        var members = MemberWriter()
        members.add("action", verb.rawValue)
        members.add("subject", subject.rawValue)
        members.add("name", name)
        members.add("reason", reason)
        members.add("pointer", pointer.description)
        switch payload {
        case .category(let category): members.add("category", category)
        case _ where isDryRun: break
        case .session(let session), .replacement(let session): members.add("id", session.id)
        case .activity(let activity): members.add("id", activity.id)
        case .preset(let preset), .presetReplacement(let preset): members.add("id", preset.id)
        case nil: break
        }
        return members.finish([:])
    }
}

extension ImportAction: CustomStringConvertible {}

/// The steps of an import, decided before anything is written.
///
/// `--dry-run` prints the very plan that applying carries out: write the payloads in their order, in one transaction.
public struct ImportPlan: Sendable, Hashable {
    /// The steps: activities first, then sessions, each preceded by what is remapped in it.
    public var actions: [ImportAction]
    /// Unknown members of the envelope, which the store keeps and writes at the top of what it exports.
    public var envelope: JSONObject
    /// The identifiers that the file's sessions have in the store, by those of the file; of what is skipped the store's.
    public var sessionIds: [String: String] = [:]

    /// The sessions to add, with their new identifiers.
    public var sessions: [SessionTemplate] {
        actions.compactMap { if case .session(let session) = $0.payload { session } else { nil } }
    }

    /// The sessions to replace, with the identifiers of the store.
    public var replacements: [SessionTemplate] {
        actions.compactMap { if case .replacement(let session) = $0.payload { session } else { nil } }
    }

    /// The activities to add, with their new identifiers.
    public var activities: [BlockTemplate] {
        actions.compactMap { if case .activity(let activity) = $0.payload { activity } else { nil } }
    }

    /// The custom categories to append to the settings, each once.
    public var addedCategories: [String] {
        actions.compactMap { if case .category(let category) = $0.payload { category } else { nil } }
    }

    /// Returns the number of steps of a kind.
    public func count(_ verb: ImportAction.Verb, _ subject: ImportAction.Subject? = nil) -> Int {
        actions.count { $0.verb == verb && (subject == nil || $0.subject == subject) }
    }
}
