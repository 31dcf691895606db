import BZTimer
import FormatKit
import GymPulse
import Slate
import StrictJSON
import TestSupport
import Testing

@Suite struct DigestTests {
    /// The digests that fixtures/bztimer/vectors/digests.json gives, computed by another program.
    @Test func vectors() throws {
        let vectors = try #require(Fixtures.value("vectors/digests.json").object)
        #expect(vectors.count == 10)
        for vector in vectors {
            let file = try #require(BztimerFormat.read(try Fixtures.bytes(vector.name)).content)
            #expect(ContentDigest(of: file).description == vector.value["file"]?.string, "\(vector.name)")
            let sessions = file.sessions.map { JSONValue.string(ContentDigest(of: $0).description) }
            #expect(.array(sessions) == vector.value["sessions"], "\(vector.name)")
            let activities = (file.activities ?? []).map { JSONValue.string(ContentDigest(of: $0).description) }
            #expect(.array(activities) == vector.value["activities"], "\(vector.name)")
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func identifiersOrderAndSpaceDoNotMatter(seed: UInt64) throws {
        var source = RandomDocument(seed: seed)
        let document = source.document(version: BztimerFormat.currentVersion)
        let file = try BztimerFile(json: document)
        var other = try BztimerFile(
            json: JSONDocument(parsing: shuffled(document, &source.random).encoded(.compact)).root.value
        )
        other.generator = "someone else"
        other.exportedAt = nil
        other.categories.reverse()
        for session in other.sessions.indices {
            other.sessions[session].id += "!"
            other.sessions[session].tags?.reverse()
            other.sessions[session].scheduledDaysOfWeek?.reverse()
            other.sessions[session].extra["x-preserved"] = "elsewhere"
            for item in other.sessions[session].items.indices {
                other.sessions[session].items[item].id += "?"
                other.sessions[session].items[item].templateId = "t\(item)"
            }
        }
        #expect(ContentDigest(of: file) == ContentDigest(of: other), "seed \(seed)")
        #expect(file.sessions.map { ContentDigest(of: $0) } == other.sessions.map { ContentDigest(of: $0) })
    }

    @Test func contentMatters() {
        let block = BlockInstance(
            id: "b",
            label: "Run",
            kind: .activity,
            timing: .duration(seconds: 60),
            category: "Work"
        )
        let session = SessionTemplate(id: "s", name: "One", items: [block])
        let changes: [(inout SessionTemplate) -> Void] = [
            { $0.name = "Two" }, { $0.items = [] }, { $0.items += $0.items }, { $0.tags = ["a"] },
            { $0.scheduledDaysOfWeek = [1] }, { $0.extra["x"] = 1 }, { $0.items[0].label = "Walk" },
            { $0.items[0].timing = .duration(seconds: 61) }, { $0.items[0].timing = .reps(count: 1, secondsEach: 60) },
            { $0.items[0].category = nil }, { $0.items[0].category = "work" }, { $0.items[0].color = "" },
            {
                $0.items[0].extra["id2"] = nil; $0.items[0].extra["x"] = .null
            }, { $0.name = "One " },
        ]
        var digests: Set<ContentDigest> = [ContentDigest(of: session)]
        for change in changes {
            var changed = session
            change(&changed)
            digests.insert(ContentDigest(of: changed))
        }
        #expect(digests.count == changes.count + 1)
        // Strings are compared by code points, not by canonical equivalence.
        var composed = session
        var decomposed = session
        composed.name = "é"
        decomposed.name = "e\u{301}"
        #expect(ContentDigest(of: composed) != ContentDigest(of: decomposed))
    }

    @Test func emptyListsAreAbsentOnes() {
        var session = SessionTemplate(id: "s", name: "One", items: [])
        let digest = ContentDigest(of: session)
        session.tags = []
        session.scheduledDaysOfWeek = []
        #expect(ContentDigest(of: session) == digest)
    }

    private func shuffled(_ value: JSONValue, _ random: inout SeededGenerator) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { shuffled($0, &random) })
        case .object(let object):
            var result = JSONObject()
            for member in object.members.shuffled(using: &random) {
                result[member.name] = shuffled(member.value, &random)
            }
            return .object(result)
        default: return value
        }
    }
}
