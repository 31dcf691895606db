/// The spaces that the markers in a folder name.
package struct Spaces: Sendable, Hashable {
    /// That one space goes on in another.
    package struct Adoption: Sendable, Hashable, Comparable {
        /// The space that ends.
        package let losing: String
        /// The space that it goes on in.
        package let winning: String

        /// An adoption.
        package init(_ losing: String, into winning: String) {
            self.losing = losing
            self.winning = winning
        }

        /// Whether one comes before another by its names.
        package static func < (left: Adoption, right: Adoption) -> Bool {
            (left.losing, left.winning) < (right.losing, right.winning)
        }
    }

    /// The spaces with a marker, ordered.
    package private(set) var roots: [String] = []
    /// The adoptions, ordered.
    package private(set) var adoptions: [Adoption] = []

    /// No space.
    package init() {}

    /// Whether there is no marker at all.
    package var isEmpty: Bool { roots.isEmpty && adoptions.isEmpty }

    /// All spaces that are named.
    package var known: Set<String> { Set(roots + adoptions.flatMap { [$0.losing, $0.winning] }) }

    mutating func add(root: String) {
        if !roots.contains(root) { roots = (roots + [root]).sorted() }
    }

    mutating func add(_ adoption: Adoption) {
        if !adoptions.contains(adoption) { adoptions = (adoptions + [adoption]).sorted() }
    }

    /// The space that one goes on in, however often it was adopted; itself where it was not.
    ///
    /// Whoever sees the same markers finds the same: of spaces that hang together it is the smallest of those that no
    /// other adopted, and of a circle the smallest of all. A space without a marker of its own takes nobody in: anybody can
    /// write its name.
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

    /// The spaces that nobody adopted, ordered; where there is any marker of a space, only those that hang together with one.
    package var current: [String] { Set((roots.isEmpty ? Array(known) : roots).map { current(of: $0) }).sorted() }
}

extension Spaces {
    /// What the name of a marker says.
    enum Marker: Equatable {
        case root(String)
        case adoption(Adoption)
    }

    static func rootName(_ space: String) -> String { "satchel-\(space).root" }
    static func adoptionName(_ adoption: Adoption) -> String { "satchel-\(adoption.losing).into-\(adoption.winning)" }

    /// Reads a name in the folder; conflict copies and placeholders of markers are markers, as the name says it all.
    static func marker(_ name: String) -> Marker? {
        var scanner = NameScanner(name)
        _ = scanner.skip(".")
        guard scanner.skip("satchel-"), let space = scanner.plain() else { return nil }
        let rest = scanner.rest
        if let range = rest.firstRange(of: ".into-") {
            var winner = NameScanner(String(rest[range.upperBound...]))
            return winner.plain().map { .adoption(Adoption(space, into: $0)) }
        }
        guard let range = rest.firstRange(of: ".root") else { return nil }
        let follows = rest[range.upperBound...].utf8.first.map(FileName.isPlain) ?? false
        return follows ? nil : .root(space)
    }
}
