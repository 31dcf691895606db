#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import StrictJSON

extension JSONDocument {
    /// Reads the text of a file.
    ///
    /// - Throws: What reading the file throws, and `JSONError` with the place.
    public convenience init(contentsOf url: URL, options: JSONParseOptions = JSONParseOptions()) throws {
        try self.init(parsing: [UInt8](Data(contentsOf: url)), options: options)
    }
}

extension JSONValue {
    /// Returns the value as a JSON text.
    public func data(_ style: JSONStyle = .compact) -> Data { Data(encoded(style)) }
}
