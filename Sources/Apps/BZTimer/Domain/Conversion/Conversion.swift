public import FormatKit
import StrictJSON

/// Something of one format in another, and what of it has no place there.
public struct Conversion<Result: Sendable & Hashable>: Sendable, Hashable {
    /// The converted record.
    public var result: Result
    /// The losses, each with its place in the record that was converted.
    public var losses: [MigrationLoss]

    /// Makes a conversion.
    public init(_ result: Result, losses: [MigrationLoss] = []) {
        self.result = result
        self.losses = losses
    }
}

extension MigrationLoss {
    /// Returns the losses of members that have no place.
    static func members(_ members: JSONObject, at pointer: JSONPointer) -> [MigrationLoss] {
        members.map { MigrationLoss("the member \"\($0.name)\" is left out", at: pointer.appending($0.name)) }
    }
}
