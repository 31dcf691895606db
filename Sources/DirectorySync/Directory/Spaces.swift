/// The spaces that the markers in a folder name.
package struct Spaces: Sendable, Hashable {
    /// The merge of one space into another.
    package struct Adoption: Sendable, Hashable, Comparable {
        /// The space that ends.
        package let losing: String
        /// The space that continues.
        package let winning: String

        /// Makes an adoption.
        package init(_ losing: String, into winning: String) {
            self.losing = losing
            self.winning = winning
        }

        /// Returns whether one adoption comes before another, by its names.
        package static func < (left: Adoption, right: Adoption) -> Bool {
            (left.losing, left.winning) < (right.losing, right.winning)
        }
    }

    /// The spaces with a marker, ordered.
    package private(set) var roots: [String] = []
    /// The adoptions, ordered.
    package private(set) var adoptions: [Adoption] = []

    /// Makes an empty set of spaces.
    package init() {}

    /// True if there is no marker at all.
    package var isEmpty: Bool { roots.isEmpty && adoptions.isEmpty }

    /// All spaces that a marker names.
    package var known: Set<String> { Set(roots + adoptions.flatMap { [$0.losing, $0.winning] }) }

    mutating func add(root: String) {
        if !roots.contains(root) { roots = (roots + [root]).sorted() }
    }

    mutating func add(_ adoption: Adoption) {
        if !adoptions.contains(adoption) { adoptions = (adoptions + [adoption]).sorted() }
    }

    /// Returns the space into which one was finally merged; the space itself if it was not.
    ///
    /// All devices that see the same markers find the same space. Of connected spaces it is the smallest of those that
    /// no other adopted, and of a circle the smallest of all. A space without its own marker adopts none, as anybody
    /// can write its name.
    package func current(of space: String) -> String {
        var together: Set<String> = [space]
        var count = 0
        while count != together.count {
            count = together.count
            for adoption in adoptions where together.contains(adoption.losing) || together.contains(adoption.winning) {
                together.formUnion([adoption.losing, adoption.winning])
            }
        }
        let open = together.subtracting(adoptions.map(\.losing))
        let choices = [open.intersection(roots), together.intersection(roots), open, together]
        return choices.first { !$0.isEmpty }?.min() ?? space
    }

    /// The spaces that no other adopted, ordered; if a space has a marker, only those connected with one.
    package var current: [String] { Set((roots.isEmpty ? Array(known) : roots).map { current(of: $0) }).sorted() }
}

extension Spaces {
    /// The meaning of a marker's name.
    enum Marker: Equatable {
        case root(String)
        case adoption(Adoption)
    }

    static func rootName(_ space: String) -> String { "satchel-\(space).root" }
    static func adoptionName(_ adoption: Adoption) -> String { "satchel-\(adoption.losing).into-\(adoption.winning)" }

    /// Reads a name in the folder; a marker's conflict copies and placeholders count too, as only the name matters.
    static func marker(_ name: String) -> Marker? {
        var scanner = NameScanner(name)
        _ = scanner.skip(".")
        guard scanner.skip("satchel-"), let space = scanner.plain() else { return nil }
        let rest = scanner.rest
        // Most are such: looking for parts in their middle costs each start some time.
        if rest == ".root" { return .root(space) }
        if let range = rest.firstRange(of: ".into-") {
            var winner = NameScanner(String(rest[range.upperBound...]))
            return winner.plain().map { .adoption(Adoption(space, into: $0)) }
        }
        guard let range = rest.firstRange(of: ".root") else { return nil }
        let follows = rest[range.upperBound...].utf8.first.map(FileName.isPlain) ?? false
        return follows ? nil : .root(space)
    }
}
