package import StrictJSON

/// The result of checking one thing.
package struct HealthCheck {
    /// The thing, as a person knows it.
    package let subject: String
    /// The state that was found.
    package let finding: String
    /// The advice on what to do; nil where nothing is wrong.
    package let advice: String?

    /// True if nothing is wrong.
    package var isSound: Bool { advice == nil }

    /// Makes a result; one with advice is a fault.
    package init(_ subject: String, _ finding: String, advice: String? = nil) {
        self.subject = subject
        self.finding = finding
        self.advice = advice.map { ProgramNames.asCalled($0) }
    }

    /// The result for programs.
    package var json: JSONValue {
        [
            "subject": .string(subject), "sound": .bool(isSound), "finding": .string(finding),
            "advice": advice.map { .string($0) } ?? .null,
        ]
    }
}
