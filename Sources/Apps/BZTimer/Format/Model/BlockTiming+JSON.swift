import FormatKit
import StrictJSON

extension MemberReader {
    /// Reads `mode` and the timing members that belong to it.
    mutating func timing() throws(AppFormatError) -> BlockTiming {
        switch try string("mode") {
        case "duration": .duration(seconds: try integer("durationSeconds", in: 1...BlockTiming.longestDuration))
        case "reps":
            .reps(
                count: try integer("reps", in: 1...BlockTiming.mostReps),
                secondsEach: try integer("perRepSeconds", in: 1...BlockTiming.longestRep)
            )
        default: throw Self.error("expected \"duration\" or \"reps\"", at: pointer.appending("mode"))
        }
    }
}

extension MemberWriter {
    mutating func add(_ timing: BlockTiming) {
        add("mode", timing.mode)
        switch timing {
        case .duration(let seconds): add("durationSeconds", .number(seconds))
        case .reps(let count, let secondsEach):
            add("reps", .number(count))
            add("perRepSeconds", .number(secondsEach))
        }
    }
}
