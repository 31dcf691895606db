internal import AppFormats
internal import XMLIO

/// What the reader and the writer of Zwift's workout files (`.zwo`) agree on.
///
/// There is no official description; the names are those of the workouts that come with Zwift, as the community has
/// listed them. Their case differs from file to file, so that they are compared without.
enum ZwiftWorkout {
    static let rootName = "workout_file"
    /// What stands for the author and the sport in files of ours: nothing of a session, and no loss when it is read.
    static let author = "Satchel"
    static let sport = "bike"
    /// The category of activities that come from a workout.
    static let category = "Exercise"

    /// The part of the threshold power that a block is written with; a session says nothing about effort.
    static func power(_ kind: BlockKind) -> Double {
        switch kind {
        case .activity: 0.75
        case .rest: 0.5
        case .transition: 0.4
        }
    }

    /// What a block of that power is: below 60 % is Zwift's zone for recovery.
    static func kind(power: Double?) -> BlockKind {
        guard let power else { return .activity }
        return power <= 0.4 ? .transition : power < 0.6 ? .rest : .activity
    }
}

extension XMLElement {
    /// Whether it has that name, in any case.
    func isNamed(_ name: String) -> Bool { self.name.lowercased() == name }

    /// The value of an attribute, its name in any case.
    func value(_ name: String) -> String? { attributes.first { $0.name.lowercased() == name }?.value }
}
