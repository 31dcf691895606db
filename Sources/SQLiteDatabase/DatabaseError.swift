/// An error that SQLite reports, or one of using this module.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The result code with its extension.
    public let extendedResultCode: ResultCode
    /// SQLite's message.
    public let message: String?
    /// The statement that failed.
    public let sql: String?

    /// Makes an error; without a message it has SQLite's words for the code.
    public init(resultCode: ResultCode = .SQLITE_ERROR, message: String? = nil, sql: String? = nil) {
        extendedResultCode = resultCode
        self.message = message ?? resultCode.words
        self.sql = sql
    }

    /// The result code without its extension.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// Code, message and statement in one line.
    public var description: String {
        var description = "SQLite error \(resultCode.rawValue)"
        if let message { description += ": \(message)" }
        if let sql { description += " - while executing `\(sql.trimmedSQL)`" }
        return description
    }
}

extension String {
    /// The statement without the white space and the semicolons around it.
    var trimmedSQL: String {
        func isEdge(_ character: Character) -> Bool { character == ";" || character.isWhitespace }
        guard let last = lastIndex(where: { !isEdge($0) }) else { return "" }
        return String(self[...last].drop(while: isEdge))
    }
}
