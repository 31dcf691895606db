internal import StrictJSON

/// The first row of a table: which column has which name.
struct CSVHeading {
    /// The names as they are written.
    let names: [String]
    private let columns: [String: Int]
    let position: TextPosition?

    /// - Throws: `csv.heading` where a name occurs twice, and what is wrong with the row.
    init(_ row: CSVRow) throws(InterchangeError) {
        if let fault = row.fault { throw fault }
        names = row.fields.map(\.text)
        position = row.position
        var columns: [String: Int] = [:]
        for (index, field) in row.fields.enumerated() {
            let name = Self.folded(field.text)
            guard !name.isEmpty else { continue }
            if let other = columns.updateValue(index, forKey: name) {
                let message = "the column \(quoted(field.text)) is there twice, as number \(other + 1) and \(index + 1)"
                throw InterchangeError(.heading, message, at: field.position)
            }
        }
        self.columns = columns
    }

    /// The number of columns.
    var count: Int { names.count }

    /// Returns the column with one of these names, which are given in lower case.
    func column(_ names: String...) -> Int? { names.lazy.compactMap { columns[$0] }.first }

    /// Returns the first column whose folded name fulfils a condition.
    func column(where condition: (String) -> Bool) -> Int? {
        columns.filter { condition($0.key) }.map(\.value).min()
    }

    static func folded(_ name: String) -> String {
        let words = name.lowercased().split { $0.isWhitespace || $0 == "_" || $0 == "\u{FEFF}" }
        return words.joined(separator: " ")
    }

    /// Returns the fault of a row's length; nil where it fits.
    ///
    /// Empty fields beyond the heading do no harm.
    func fault(in row: CSVRow) -> InterchangeError? {
        if let fault = row.fault { return fault }
        let extra = row.fields.dropFirst(count)
        guard row.fields.count < count || extra.contains(where: { !$0.text.isEmpty }) else { return nil }
        let message =
            "row \(row.number) has \(counted(row.fields.count, "field")), but the heading has \(count); "
            + "look for a delimiter too many or too few, or a missing quote"
        return InterchangeError(.ragged, message, at: row.position)
    }
}
