package import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The value of a column in a record, and back.
///
/// Whole numbers, texts and NULL stay as they are. A value that JSON lacks becomes an object with one member: `{"blob":
/// "<base64>"}`, and `{"real": 2}` for a real number that would otherwise return as an integer.
enum DeclaredValue {
    /// Returns the value of a cell.
    ///
    /// - Throws: `store.value` for a text that is not UTF-8.
    static func json(
        _ cell: StoreStatement.Cell,
        _ column: AppDeclaration.Column,
        _ table: String,
        path: String
    ) throws(StoreError) -> JSONValue {
        switch cell {
        case .null: return .null
        case .integer(let number):
            let value = JSONValue.number(number)
            return column.kind == .real ? ["integer": value] : value
        case .real(let number): return json(number, isReal: column.kind == .real)
        case .text(let text): return .string(text)
        case .blob(let bytes): return ["blob": .string(Data(bytes).base64EncodedString())]
        case .badText:
            let message = "the column \(quoted(column.name)) of \(quoted(table)) holds a text that is no UTF-8"
            throw StoreError(.value, message, path: path)
        }
    }

    private static func json(_ number: Double, isReal: Bool) -> JSONValue {
        guard let value = JSONNumber(number) else { return ["real": number < 0 ? "-inf" : "inf"] }
        return isReal || number != number.rounded() ? .number(value) : ["real": .number(value)]
    }

    /// Returns the cell of a value.
    ///
    /// - Throws: ``RejectedRecord`` for a value that no column holds.
    static func cell(_ value: JSONValue, _ column: AppDeclaration.Column) throws(RejectedRecord) -> StoreStatement.Cell
    {
        switch value {
        case .null: return .null
        case .string(let text): return .text(text)
        case .number(let number):
            if column.kind != .real, let int = number.int { return .integer(int) }
            return .real(number.double)
        case .object(let object) where object.count == 1:
            if let text = object["blob"]?.string, let data = Data(base64Encoded: text) { return .blob(Array(data)) }
            if let int = object["integer"]?.int { return .integer(int) }
            if let number = object["real"]?.number { return .real(number.double) }
            if let text = object["real"]?.string, ["inf", "-inf"].contains(text) {
                return .real(text == "inf" ? .infinity : -.infinity)
            }
        default: break
        }
        throw RejectedRecord(column.name, value, expected: "a value of a column")
    }
}

extension AppDeclaration.Column {
    /// The value of a member that a record lacks.
    var initialValue: JSONValue {
        if case .value(let value) = initial { value } else { .null }
    }

    /// Returns a value in the form of the column's kind, as a device whose column has another type may have written it: a
    /// number is the same as its text, and a whole one the same as the real number.
    package func canonical(_ value: JSONValue) -> JSONValue {
        guard reference == nil else { return value }
        switch kind {
        case .integer:
            if let text = value.string { return Int(text).flatMap { String($0) == text ? .number($0) : nil } ?? value }
            return value["real"]?.int.flatMap { ColumnAffinity.isExact($0) ? .number($0) : nil } ?? value
        case .real:
            if let text = value.string {
                return ColumnAffinity.real(text).flatMap(JSONNumber.init).map { .number($0) } ?? value
            }
            guard let number = value["integer"]?.int, ColumnAffinity.isExact(number) else { return value }
            return JSONNumber(Double(number)).map { .number($0) } ?? value
        case .text:
            if let number = value.int { return .string(String(number)) }
            return value.number.flatMap { ColumnAffinity.real($0.token) == nil ? nil : .string($0.token) } ?? value
        case .blob, .any: return value
        }
    }

    /// Returns whether a value equals the initial one in the column; a real number equals itself in every notation.
    package func isInitial(_ value: JSONValue) -> Bool {
        if value == initialValue { return true }
        guard kind == .real, let one = value.number, let two = initialValue.number else { return false }
        return one.double == two.double
    }
}
