internal import StrictJSON

/// A fault as evaluation meets it: cheap to make, put into words later.
struct RawFinding: Placed {
    let schema: Int32
    let keyword: String
    /// The value's word, or that of the member's name.
    let index: Int
    let fault: Fault

    var place: Int { index }
    var isWarning: Bool { if case .unknownMember = fault { true } else { false } }
}

enum Fault: Equatable {
    case type, format, pattern, tooManySteps, bound, size, constant, forbidden, endless, unexpectedElement
    /// A member that an object may not have.
    case unexpectedMember(object: Int)
    /// A member that none of some schemas knows.
    case unknownMember([Int32])
    case length(Int)
    case contained(Int)
    case missing(Int32)
    case missingDependent(Int32, of: Int32)
    /// An element that stands at that position already.
    case duplicate(Int)
    /// The branches of a `oneOf` that match.
    case several([Int32])
    /// Each branch asks for another member.
    case missingAny([Int32])
    /// No branch matches, and it is unclear which one was meant; the nearest is -1 where that is not known.
    case noBranch(nearest: Int32, [Int32])
    /// No branch takes a value of that type.
    case branchTypes([Int32])
    /// No branch has that constant; the schemas with the constants that they have.
    case branchConstants([Int32])
}

extension Evaluator {
    /// Notes a fault where faults are wanted.
    @inline(never)
    mutating func fail(_ schema: Int32, _ keyword: String, _ index: Int, _ fault: Fault) -> Bool {
        guard isReporting else { return false }
        findings.append(RawFinding(schema: schema, keyword: keyword, index: index, fault: fault))
        return false
    }

    /// Runs an evaluation whose findings are its own; gives them, and takes back all else that it noted.
    mutating func collect(_ body: (inout Evaluator) -> Void) -> Collection {
        let outer = (findings, memory.reported, journal.count)
        (findings, memory.reported) = (FindingList(limit: findings.limit), [])
        body(&self)
        let collection = Collection(
            findings: findings,
            reported: memory.reported,
            journal: Array(journal[outer.2...])
        )
        (findings, memory.reported) = (outer.0, outer.1)
        journal.removeLast(journal.count - outer.2)
        return collection
    }

    /// Notes what an evaluation found after all.
    mutating func adopt(_ collection: Collection) {
        findings.append(contentsOf: collection.findings)
        memory.reported.formUnion(collection.reported)
        journal += collection.journal
    }

    struct Collection {
        let findings: FindingList<RawFinding>
        let reported: Set<Memory.Key>
        let journal: [ObjectNote]
    }

    /// Gives the findings, and has none from then on.
    mutating func takeFindings() -> FindingList<RawFinding> {
        findings.trim()
        defer { findings = FindingList(limit: findings.limit) }
        return findings
    }

    /// Completes the findings when all is evaluated.
    mutating func finishReport() {
        if let endless {
            // What was noted after giving up, and because of it, means nothing.
            findings = FindingList(limit: findings.limit)
            findings.append(endless)
        } else {
            if isStrict { reportUnknownMembers() }
            mergeMisspelt()
        }
        journal = []
    }

    /// Leaves out members that a finding about a missing member already takes for that member, misspelt.
    private mutating func mergeMisspelt() {
        let text = findingText
        var misspelt: Set<Int> = []
        for finding in findings.items {
            guard case .missing(let name) = finding.fault, let member = text.misspelling(of: name, in: finding.index)
            else { continue }
            misspelt.insert(member)
        }
        if misspelt.isEmpty { return }
        findings.removeAll {
            switch $0.fault {
            case .unexpectedMember, .unknownMember: misspelt.contains($0.index)
            default: false
            }
        }
    }
}
