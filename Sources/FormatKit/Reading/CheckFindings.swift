package import StrictJSON

/// Findings of the checks beyond a schema: the first ones are kept, and all are counted.
package struct CheckFindings: Sendable {
    package private(set) var kept: [Diagnostic] = []
    package private(set) var count = 0
    package private(set) var repairCount = 0
    package private(set) var hasErrors = false
    /// True if faults are repaired.
    package let repair: Bool

    package init(repair: Bool = false) { self.repair = repair }

    /// Adds a finding; its text and place are made only where it is kept, for both take time.
    package mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: String,
        _ message: @autoclosure () -> String,
        at pointer: @autoclosure () -> JSONPointer
    ) {
        count += 1
        hasErrors = hasErrors || severity == .error
        guard kept.count < DiagnosticList.limit else { return }
        kept.append(Diagnostic(severity, code: code, message: message(), pointer: pointer()))
    }

    /// Adds a fault that a repair fixes, whereupon it is a warning.
    ///
    /// - Parameters:
    ///   - fix: What the repair does.
    ///   - severity: How much the fault matters where it is not repaired.
    package mutating func addFixable(
        _ code: String,
        _ message: @autoclosure () -> String,
        fix: @autoclosure () -> String,
        at pointer: @autoclosure () -> JSONPointer,
        unrepaired severity: Diagnostic.Severity = .error
    ) {
        guard repair else { return add(severity, code, message(), at: pointer()) }
        repairCount += 1
        add(.warning, code, "\(message()); repaired: \(fix())", at: pointer())
    }
}

/// Findings of checks that go over the tape of a large document.
package final class TapeFindings {
    package private(set) var list: CheckFindings
    package let text: DocumentTape

    package init(_ text: DocumentTape, repair: Bool) {
        self.text = text
        list = CheckFindings(repair: repair)
    }

    package var repair: Bool { list.repair }

    /// Adds an error that a repair fixes, whereupon it is a warning.
    ///
    /// - Parameters:
    ///   - place: Where it is on the tape.
    ///   - fix: What the repair does.
    package func addFixable(_ code: String, at place: Int, fix: String, _ message: @autoclosure () -> String) {
        list.addFixable(code, message(), fix: fix, at: pointer(place))
    }

    /// Adds a finding; its text and place are made only where it is kept.
    package func add(
        _ severity: Diagnostic.Severity,
        _ code: String,
        at place: Int,
        _ message: @autoclosure () -> String
    ) {
        list.add(severity, code, message(), at: pointer(place))
    }

    /// Returns the pointer of a place on the tape.
    package func pointer(_ place: Int) -> JSONPointer { text.node(place).pointer }

    /// Returns a text of the document in quotes.
    package func quoted(_ cell: Int) -> String {
        let bytes = (cell < 0 ? nil : text.string(cell)) ?? UnsafeBufferPointer(start: nil, count: 0)
        return "\"\(String(decoding: bytes.prefix(200), as: UTF8.self))\""
    }
}

/// Makes ids that nothing has: an id with the lowest number behind it.
package struct FreshIDs {
    private var taken: Set<ScalarKey> = []
    private var numbers: [ScalarKey: Int] = [:]

    package init() {}

    /// True if an id was made.
    package var isUsed: Bool { !numbers.isEmpty }

    package mutating func next(for id: String, taken all: () -> Set<ScalarKey>) -> String {
        if numbers.isEmpty { taken = all() }
        var number = numbers[ScalarKey(id)] ?? 2
        while taken.contains(ScalarKey("\(id)-\(number)")) { number += 1 }
        numbers[ScalarKey(id)] = number + 1
        taken.insert(ScalarKey("\(id)-\(number)"))
        return "\(id)-\(number)"
    }
}
