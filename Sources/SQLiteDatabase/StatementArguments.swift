/// The values of a statement's parameters, in order.
public struct StatementArguments: Sendable, ExpressibleByArrayLiteral {
    let values: [DatabaseValue]

    /// Makes no arguments.
    public init() { values = [] }

    /// Makes arguments of values of different types; nil is NULL.
    public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
        self.values = values.map { $0?.databaseValue ?? .null }
    }

    /// Makes arguments of values of one type.
    public init(_ values: some Sequence<some DatabaseValueConvertible>) { self.values = values.map(\.databaseValue) }

    /// Makes arguments of values of different types; nil is NULL.
    public init(arrayLiteral values: (any DatabaseValueConvertible)?...) { self.init(values) }
}
