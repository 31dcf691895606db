/// The messages that were said, so that a fault that lasts is told once, and its end as well.
struct OnceTold {
    private struct Told {
        let message: String
        /// The subject of the message.
        let name: String
    }

    private var told: [String: Told] = [:]

    /// Returns a message about a subject if it is news; no message is the end of what was told.
    ///
    /// - Parameter name: What the message is about, which its end names as well; nil for the subject.
    /// - Returns: What to say, nil where all is said.
    mutating func news(_ subject: String, _ message: String?, naming name: String? = nil) -> String? {
        let before = told[subject]
        guard let message else {
            told[subject] = nil
            return before.map { Messages.worksAgain($0.name) }
        }
        told[subject] = Told(message: message, name: name ?? subject)
        return before?.message == message ? nil : message
    }
}
