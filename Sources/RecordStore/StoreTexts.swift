internal import SQLiteDatabase
internal import StrictJSON

/// Texts with all their bytes: those of a `Row` replace bytes that are not UTF-8.
extension StoreStatement {
    /// Returns the text of a column; nil for another value, or a text that is not UTF-8.
    package func string(_ column: Int) -> String? {
        guard case .text(let text) = value(column), text.isUTF8 else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Binds texts to the first parameters.
    package func bind(_ texts: [[UInt8]]) throws {
        for (index, text) in texts.enumerated() {
            try bind(Int32(truncatingIfNeeded: index + 1), copying: text)
        }
    }
}

extension StoreStatement.Value {
    /// The value for a message: `the number 7`.
    package var words: String {
        switch self {
        case .null: "NULL"
        case .text(let text) where !text.isUTF8: "a text that is no UTF-8"
        case .text(let text): "the text \(quoted(String(decoding: text.prefix(200), as: UTF8.self)))"
        case .integer(let number): "the number \(number)"
        case .other(let words): words
        }
    }
}

extension Database {
    /// Calls `visit` for each row of a query, with the statement on it.
    package func forEachRow(_ sql: String, _ texts: [[UInt8]] = [], _ visit: (StoreStatement) throws -> Void) throws {
        let statement = try StoreStatement(self, sql)
        defer { statement.reset() }
        try statement.bind(texts)
        while try statement.step() { try visit(statement) }
    }

    /// Returns the names of a type in the schema without SQLite's own.
    package func names(ofType type: String) throws -> [String] {
        var names: [String] = []
        try forEachRow("SELECT name FROM sqlite_master WHERE type = ? ORDER BY name", [Array(type.utf8)]) { row in
            guard case .text(let text) = row.value(0) else { return }
            let name = String(decoding: text, as: UTF8.self)
            if !name.hasPrefix("sqlite_") { names.append(name) }
        }
        return names
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// True if the bytes are UTF-8, which SQLite does not check.
    package var isUTF8: Bool {
        var index = 0
        if let start = UnsafeRawPointer(baseAddress) {
            while index &+ 8 <= count {
                let word = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard word & 0x8080_8080_8080_8080 == 0 else { return isUTF8(from: index) }
                index &+= 8
            }
        }
        return isUTF8(from: index)
    }

    private func isUTF8(from start: Int) -> Bool {
        let rest = UnsafeBufferPointer(rebasing: self[start...])
        return rest.allSatisfy { $0 < 0x80 } || String(validating: rest, as: UTF8.self) != nil
    }
}
