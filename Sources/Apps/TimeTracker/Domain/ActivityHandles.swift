/// Short names of activities for people: letters that follow from the id, as many as tell it from all others.
///
/// ```swift
/// let handles = ActivityHandles(ids)
/// handles.ids(matching: handles.handle(of: id))  // [id]
/// ```
public struct ActivityHandles: Sendable {
    /// The fewest letters of a short name.
    private static let fewest = 4
    /// The letters of a whole name: 20 to that power is just below two to the power of 64.
    private static let most = 14
    /// Consonants make no words.
    private static let letters = Array("bcdfghjklmnpqrstvwxz".utf8)

    /// Whole names in order, each with its id.
    private let names: [(name: String, id: String)]

    /// Makes the short names among activities.
    ///
    /// - Parameter ids: The ids of all activities of a store.
    public init(_ ids: [String]) {
        names = ids.map { (Self.name(of: $0), $0) }.sorted { $0.name < $1.name }
    }

    /// Returns the short name of an id.
    public func handle(of id: String) -> String {
        let name = Self.name(of: id)
        let place = firstPlace(from: name)
        let neighbours = [place - 1, place, place + 1].filter { names.indices.contains($0) }.map { names[$0].name }
        let shared = neighbours.filter { $0 != name }.map { Self.sharedLetters($0, name) }.max() ?? 0
        return String(name.prefix(max(Self.fewest, shared + 1)))
    }

    /// Returns the ids of which the text is the short name, or a longer or a shorter form of it with four letters or more.
    public func ids(matching text: String) -> [String] {
        let text = text.lowercased()
        guard text.utf8.count >= Self.fewest, text.utf8.allSatisfy(Self.letters.contains) else { return [] }
        return names[firstPlace(from: text)...].prefix { $0.name.hasPrefix(text) }.map(\.id)
    }

    /// Returns the place of the first name that is not before a text.
    private func firstPlace(from text: String) -> Int {
        var (low, high) = (0, names.count)
        while low < high {
            let middle = low + (high - low) / 2
            if names[middle].name < text { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func sharedLetters(_ left: String, _ right: String) -> Int {
        zip(left.utf8, right.utf8).prefix { $0 == $1 }.count
    }

    private static func name(of id: String) -> String {
        var hash = StableHash.of(id)
        let bytes = (0..<most).map { _ in
            defer { hash /= UInt64(letters.count) }
            return letters[Int(hash % UInt64(letters.count))]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A hash that is the same in every run and on every device, as Swift's own hashes are not.
enum StableHash {
    /// Returns FNV-1a over UTF-8.
    static func of(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
