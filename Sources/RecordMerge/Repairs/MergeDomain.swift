/// What holds between the records of an app, and is mended where the changes of several devices do not go together.
///
/// Repairs are functions of what is shown. They are never changes: a device that has seen as much mends as much.
public enum MergeDomain: String, Sendable, Hashable, CaseIterable {
    /// Nothing is mended.
    case none
    /// BZ Timer's store.
    case bztimer
    /// Slate.
    case slate
    /// Time Tracker.
    case tracker

    func mend(_ set: inout ShownSet) {
        switch self {
        case .none: break
        case .bztimer: BztimerRepairs.mend(&set)
        case .slate: SlateRepairs.mend(&set)
        case .tracker: TrackerRepairs.mend(&set)
        }
    }
}
