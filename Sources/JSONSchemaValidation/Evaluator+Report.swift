internal import StrictJSON

/// A fault as evaluation meets it: cheap to make, put into words later.
struct RawFinding {
    let schema: Int32
    let keyword: String
    /// The value's word, or that of the member's name.
    let index: Int
    let fault: Fault
}

enum Fault {
    case type, format, pattern, tooManySteps, bound, size, constant, forbidden, name, endless
    case unexpectedMember, unexpectedElement, unknownMember([Int32])
    case length(Int)
    case contained(Int)
    case missing(Int32)
    case missingDependent(Int32, of: Int32)
    case duplicate(Int, Int)
    case several([Int])
    case noBranch(meant: Int, of: Int)
}

extension Evaluator {
    /// Notes a fault where faults are wanted.
    @inline(never)
    mutating func fail(_ schema: Int32, _ keyword: String, _ index: Int, _ fault: Fault) -> Bool {
        guard isReporting else { return false }
        if findings.count < limit {
            findings.append(RawFinding(schema: schema, keyword: keyword, index: index, fault: fault))
        } else {
            dropped += 1
        }
        return false
    }

    /// Notes members that no keyword has evaluated, where some schema says which there are.
    mutating func reportUnknownMembers(_ number: Int32, _ object: Int, _ marks: Marks) {
        guard isReporting, !marks.schemas.isEmpty else { return }
        var index = object + 2
        var position = 0
        while index < Int(words[object + 1]) {
            if !marks.contains(position) {
                _ = fail(number, "unknown-member", index, .unknownMember(marks.schemas))
            }
            index = skip(index + 1)
            position += 1
        }
    }
}
