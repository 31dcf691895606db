internal import StrictJSON
internal import XMLIO

/// The findings of reading a workout: errors, and all that a session has no place for.
struct ZwiftFindings {
    /// The first findings, at most ``ZwiftReading/findingLimit``.
    private(set) var diagnostics: [Diagnostic] = []
    /// The number of all findings.
    private(set) var count = 0
    private(set) var hasErrors = false
    private let name: String?
    /// The messages that are said once, at their first place, and were.
    private var said: Set<String> = []

    init(name: String?) { self.name = name }

    /// The content of an element that is read beside its attributes.
    enum Content { case nothing, text, elements }

    /// Names all that an element has beside what is read of it.
    ///
    /// - Parameters:
    ///   - known: The attributes that are read, in lower case.
    ///   - content: What else is read.
    mutating func leaveOutRest(of element: XMLElement, but known: [String] = [], _ content: Content = .nothing) {
        var found: [String: String] = [:]
        for attribute in element.attributes {
            let name = attribute.name.lowercased()
            if !known.contains(name) {
                sayOnce("\"\(attribute.name)\" of <\(element.name)> is left out", element)
            } else if let first = found[name] {
                warn("\"\(attribute.name)\" of <\(element.name)> is left out; \"\(first)\" comes before it", element)
            } else {
                found[name] = attribute.name
            }
        }
        let text = element.text.trimmed
        if content != .text, !text.isEmpty {
            warn("the text \"\(Self.excerpt(text))\" in <\(element.name)> is left out", element)
        }
        if content != .elements { for child in element.children { leaveOut(child) } }
    }

    mutating func leaveOut(_ element: XMLElement) { warn("the element <\(element.name)> is left out", element) }

    /// Reports a loss at its first place only.
    mutating func sayOnce(_ message: String, _ element: XMLElement) {
        if said.insert(message).inserted { warn(message, element) }
    }

    mutating func warn(_ message: String, code: String = "conversion.loss", _ element: XMLElement) {
        add(.warning, code, message, element)
    }

    mutating func fail(_ code: String, _ message: String, _ element: XMLElement) {
        hasErrors = true
        add(.error, code, message, element)
    }

    /// Returns a text of the file as a message can show it.
    static func excerpt(_ text: String) -> String { text.count > 40 ? "\(text.prefix(39))…" : text }

    private mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: String,
        _ message: String,
        _ element: XMLElement
    ) {
        count += 1
        // An error is never the one that is not kept: without it nothing would say why there is no session.
        guard diagnostics.count < ZwiftReading.findingLimit - (severity == .error ? 0 : 1) else { return }
        diagnostics.append(Diagnostic(severity, code: code, message: message, file: name, position: element.position))
    }
}
