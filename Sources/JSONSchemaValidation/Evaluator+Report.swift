internal import StrictJSON

/// A fault as evaluation meets it: cheap to make, put into words later.
struct RawFinding: Placed {
    let schema: Int32
    let keyword: String
    /// The value's word, or that of the member's name.
    let index: Int
    let fault: Fault
    /// The other branches of an `anyOf` or `oneOf`, which take no value of that type.
    var otherBranches: [Int32] = []

    var place: Int { index }
    var isWarning: Bool { if case .unknownMember = fault { true } else { false } }
}

enum Fault: Equatable {
    case type, format, pattern, tooManySteps, bound, size, constant, forbidden, depth, unexpectedElement
    /// A member that an object may not have.
    case unexpectedMember(object: Int)
    /// A member that none of some schemas knows.
    case unknownMember(object: Int, [Int32])
    case length(Int)
    case contained(Int)
    case missing(Int32)
    /// A member that seems to be a missing one, misspelt.
    case misspelt(Int32)
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

    /// True if the fault is that a member is there.
    var refusesMember: Bool {
        switch self {
        case .unexpectedMember, .unknownMember: true
        default: false
        }
    }
}

extension Evaluator {
    /// Notes a fault where faults are wanted; what is found after giving up, and because of it, means nothing.
    @inline(never)
    mutating func fail(_ schema: Int32, _ keyword: String, _ index: Int, _ fault: Fault) -> Bool {
        guard isReporting, givenUp == nil else { return false }
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
        guard givenUp == nil else { return }
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
        if let givenUp {
            findings.append(givenUp)
        } else if isStrict {
            reportUnknownMembers()
        }
        mergeMisspelt()
        journal = []
    }

    /// Places a finding about a missing member at the one that seems to be it, misspelt, which no other finding names.
    private mutating func mergeMisspelt() {
        // Where none is shown, only their number counts.
        guard findings.limit > 0 || findings.items.contains(where: { $0.fault.refusesMember }) else { return }
        let text = findingText
        var misspelt: Set<Int> = []
        var object = -1
        var unmentioned: [FindingText.Member] = []
        let merged = findings.map { finding in
            guard case .missing(let name) = finding.fault else { return finding }
            if finding.index != object {
                object = finding.index
                unmentioned = text.unmentionedMembers(of: object)
            }
            guard let member = text.misspelling(of: name, among: unmentioned) else { return finding }
            misspelt.insert(member)
            return RawFinding(schema: finding.schema, keyword: finding.keyword, index: member, fault: .misspelt(name))
        }
        if misspelt.isEmpty { return }
        findings = merged
        findings.removeAll { $0.fault.refusesMember && misspelt.contains($0.index) }
    }
}
