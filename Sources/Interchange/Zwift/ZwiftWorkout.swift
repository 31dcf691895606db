internal import BZTimer
internal import XMLIO

/// The rules that the reader and the writer of Zwift's workout files (`.zwo`) share.
///
/// There is no official description; the names are those of the workouts that come with Zwift, as the community has
/// listed them. Their case differs from file to file, so that they are compared without.
enum ZwiftWorkout {
    static let rootName = "workout_file"
    /// The author and the sport in files that this program writes: nothing of a session, and no loss when it is read.
    static let author = "Satchel"
    static let sport = "bike"
    /// The category of activities that come from a workout.
    static let category = "Exercise"
    /// The attribute by which XML says that the white space around a text is part of it.
    static let space = (name: "xml:space", value: "preserve")

    /// The most bytes of a text that is written, its references counted as such; one of a start tag has 1 MiB at most.
    static let longestText = 1_000_000
    /// The most bytes and elements that a workout is read with.
    static let largest = (bytes: 1 << 24, elements: 100_000)

    /// Returns the second at which the notes of a block are shown.
    static func noteMoment(_ seconds: Int) -> Int { min(10, seconds / 2) }

    /// Returns a decimal number; nil for infinities, hexadecimals and texts that are no number.
    static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the part of the threshold power that a block is written with; a session says nothing about effort.
    static func power(_ kind: BlockKind) -> Double {
        switch kind {
        case .activity: 0.75
        case .rest: 0.5
        case .transition: 0.4
        }
    }

    /// Returns the kind of a block of that power: below 60 % is Zwift's zone for recovery.
    static func kind(power: Double?) -> BlockKind {
        guard let power else { return .activity }
        return power <= 0.4 ? .transition : power < 0.6 ? .rest : .activity
    }
}

extension XMLElement {
    /// Tells whether it has that name, in any case.
    func isNamed(_ name: String) -> Bool { self.name.lowercased() == name }

    /// Returns the value of an attribute, its name in any case.
    func value(_ name: String) -> String? { attributes.first { $0.name.lowercased() == name }?.value }
}
