public import FormatKit
import StrictJSON

/// Something of one format in another, and what of it has no place there.
public struct Conversion<Result: Sendable & Hashable>: Sendable, Hashable {
    /// What it became.
    public var result: Result
    /// What was lost, each with its place in the record that was converted.
    public var losses: [MigrationLoss]

    /// A conversion.
    public init(_ result: Result, losses: [MigrationLoss] = []) {
        self.result = result
        self.losses = losses
    }
}

extension MigrationLoss {
    /// The losses of members that are there and have no place.
    static func members(_ members: JSONObject, at pointer: JSONPointer) -> [MigrationLoss] {
        members.map { MigrationLoss("the member \"\($0.name)\" is left out", at: pointer.appending($0.name)) }
    }
}
