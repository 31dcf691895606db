/// The times of workouts, to find those that several sources recorded.
struct WorkoutLog {
    private struct Workout {
        let times: Range<Int>
        let source: Int
        let number: Int
    }

    private var workouts: [Workout] = []
    private var sources: [String] = []
    private var numbers: [String: Int] = [:]

    /// Adds a workout with its times in seconds since 1970.
    mutating func add(_ source: String, _ times: Range<Int>, number: Int) {
        guard !source.isEmpty, !times.isEmpty else { return }
        if numbers[source] == nil {
            numbers[source] = sources.count
            sources.append(source)
        }
        workouts.append(Workout(times: times, source: numbers[source] ?? 0, number: number))
    }

    /// Returns the number of workouts that overlap an earlier one of another source, and the first two; nil for none.
    consuming func overlaps() -> (count: Int, example: String)? {
        workouts.sort { ($0.times.lowerBound, $0.number) < ($1.times.lowerBound, $1.number) }
        var count = 0
        var example = ""
        // The last of two sources to end: one of them is of another source than the next workout.
        var last: [Workout] = []
        for workout in workouts {
            let other = last.first { $0.source != workout.source && $0.times.upperBound > workout.times.lowerBound }
            if let other {
                count += 1
                if count == 1 { example = "\(words(other)) and \(words(workout))" }
            }
            if let own = last.firstIndex(where: { $0.source == workout.source }) {
                if last[own].times.upperBound < workout.times.upperBound { last[own] = workout }
            } else {
                last.append(workout)
            }
            last.sort { $0.times.upperBound > $1.times.upperBound }
            last = Array(last.prefix(2))
        }
        return count > 0 ? (count, example) : nil
    }

    private func words(_ workout: Workout) -> String {
        "Workout \(workout.number) of \(quoted(sources[workout.source]))"
    }
}
