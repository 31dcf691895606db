public import StrictJSON

/// Something of the data that a format has no place for, and that what was written lacks.
public struct InterchangeLoss: Sendable, Hashable, CustomStringConvertible {
    /// The lost data, such as `buttons`.
    public let what: String
    /// The number of records that lose it.
    public let count: Int

    /// Makes a loss.
    package init(_ what: String, count: Int) {
        self.what = what
        self.count = count
    }

    /// The loss in words: `buttons (8)`.
    public var description: String { "\(what) (\(count))" }

    /// Returns the loss as the diagnostic that programs print.
    ///
    /// It is a note, as the format cannot hold the data and no record is left out.
    public func diagnostic(file: String?) -> Diagnostic {
        let message = "the format has no place for \(what) (\(count == 1 ? "once" : "\(count) times"))"
        return Diagnostic(.note, code: "interchange.loss", message: message, file: file)
    }
}

/// Counts losses while something is written.
struct LossCounter {
    private var order: [String] = []
    private var counts: [String: Int] = [:]

    mutating func add(_ what: String, count: Int = 1) {
        guard count > 0 else { return }
        if counts[what] == nil { order.append(what) }
        counts[what, default: 0] += count
    }

    var losses: [InterchangeLoss] { order.map { InterchangeLoss($0, count: counts[$0] ?? 0) } }
}
