/// What was said already, so that a fault that lasts is told once, and its end as well.
struct OnceTold {
    private var told: [String: String] = [:]

    /// Whether a message about a subject is news; none is the end of what was told.
    ///
    /// - Returns: What to say, nil where all is said.
    mutating func news(_ subject: String, _ message: String?) -> String? {
        let before = told[subject]
        told[subject] = message
        switch (before, message) {
        case (nil, nil): return nil
        case (_?, nil): return Messages.worksAgain(subject)
        case (let before, let message?): return before == message ? nil : message
        }
    }
}
