internal import CivilTime
internal import GymPulse

/// The meaning of a local time in a zone, with the rule that decided it.
struct ResolvedTime {
    /// The rules that decide the meaning.
    enum Kind { case exact, fold, gap }

    let kind: Kind
    /// The moments that it can mean, the one to take first.
    let moments: [Timestamp]

    /// Makes a moment that is known without a zone.
    init(exact moment: Timestamp) {
        kind = .exact
        moments = [moment]
    }

    /// Makes the meaning of a local time.
    ///
    /// Of two moments the earlier is taken. One that the clocks skipped is shifted behind the gap, or in front of it
    /// where only that goes with the other time.
    init(_ time: LocalTime, nanoseconds: Int = 0, in clock: LocalClock) {
        func moment(_ stamp: Timestamp) -> Timestamp { Timestamp(seconds: stamp.seconds, nanoseconds: nanoseconds) }
        switch clock.resolve(time) {
        case .exact(let stamp): (kind, moments) = (.exact, [moment(stamp)])
        case .fold(let earlier, let later): (kind, moments) = (.fold, [moment(earlier), moment(later)])
        case .gap(let before, let after):
            (kind, moments) = (.gap, [max(before, after), min(before, after)].map(moment))
        }
    }

    private init(_ kind: Kind, _ moments: [Timestamp]) {
        self.kind = kind
        self.moments = moments
    }

    /// Returns the moments so many seconds later; what was decided about them is told once.
    func adding(seconds: Int, keepsKind: Bool) -> ResolvedTime {
        ResolvedTime(keepsKind ? kind : .exact, moments.map { $0.adding(seconds: seconds) })
    }

    /// Returns the start and the end to take.
    ///
    /// They are the first pair that is as long as it should be, else the first that does not end before it begins.
    static func pair(
        _ start: ResolvedTime,
        _ end: ResolvedTime,
        length: WrittenLength?
    ) -> (start: Timestamp, end: Timestamp, isDecided: Bool) {
        var fallback: (Timestamp, Timestamp)?
        for first in start.moments {
            for last in end.moments where last >= first {
                if let length, abs(last.seconds - first.seconds - length.seconds) <= max(length.tolerance, 90) {
                    return (first, last, true)
                }
                fallback = fallback ?? (first, last)
            }
        }
        let chosen = fallback ?? (start.moments[0], end.moments[0])
        return (chosen.0, chosen.1, false)
    }
}
