import FormatKit
import StrictJSON

/// Findings of the checks of a document, with the places of the first ones.
final class TrackerFindings {
    private(set) var kept: [Diagnostic] = []
    /// The number of all findings; finding a place takes time, so that only the first ones are kept.
    private(set) var count = 0
    private(set) var repairCount = 0
    private(set) var hasErrors = false
    let text: DocumentTape
    let repair: Bool

    init(_ text: DocumentTape, repair: Bool) {
        self.text = text
        self.repair = repair
    }

    /// An error that a repair mends, whereupon it is a warning.
    ///
    /// - Parameters:
    ///   - place: Where it is on the tape.
    ///   - mend: What the repair does.
    func error(_ code: String, at place: Int, mend: String, _ message: @autoclosure () -> String) {
        if repair {
            repairCount += 1
            add(.warning, code, at: place, "\(message()); repaired: \(mend)")
        } else {
            error(code, at: place, message())
        }
    }

    /// An error that nothing mends.
    func error(_ code: String, at place: Int, _ message: @autoclosure () -> String) {
        hasErrors = true
        add(.error, code, at: place, message())
    }

    /// Adds a finding; its text and place are made only where it is kept.
    func add(
        _ severity: Diagnostic.Severity,
        _ code: String,
        at place: Int,
        _ message: @autoclosure () -> String
    ) {
        count += 1
        guard kept.count < TrackerReading.findingLimit else { return }
        kept.append(Diagnostic(severity, code: code, message: message(), pointer: pointer(place)))
    }

    /// The place as a pointer.
    func pointer(_ place: Int) -> JSONPointer { text.node(place).pointer }

    /// A text of the document in quotes.
    func quoted(_ cell: Int) -> String {
        let bytes = (cell < 0 ? nil : text.string(cell)) ?? UnsafeBufferPointer(start: nil, count: 0)
        return "\"\(String(decoding: bytes.prefix(200), as: UTF8.self))\""
    }
}
