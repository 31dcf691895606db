import FormatKit
import StrictJSON
import Testing

@Suite struct MigrationChainTests {
    private static func step(_ from: Int, _ to: Int, format: String = "test") -> MigrationStep {
        MigrationStep(
            format: format,
            from: from,
            to: to,
            losses: ["the letter \(to)"],
            up: { Migrated(.string(($0.string ?? "") + String(to))) },
            down: {
                Migrated(.string(String(($0.string ?? "").dropLast())), losses: [MigrationLoss("\(to)", at: .root)])
            },
            olderPointer: { JSONPointer(tokens: Array($0.tokens.dropLast())) },
            newerPointer: { $0.appending("v\(to)") }
        )
    }

    @Test func stepsAreTakenOneByOne() throws {
        let chain = try MigrationChain(format: "test", steps: [Self.step(3, 4), Self.step(1, 2), Self.step(2, 3)])
        #expect(chain.oldest == 1)
        #expect(chain.current == 4)
        #expect(try chain.migrate("a", from: 1, to: 4) == Migrated("a234"))
        let down = try chain.migrate("a234", from: 4, to: 1)
        #expect(down.value == "a")
        #expect(down.losses.map(\.text) == ["version 1 4", "version 1 3", "version 1 2"])
        #expect(down.losses.map(\.pointer.description) == ["", "/v4", "/v3/v4"])
        #expect(try chain.migrate("a2", from: 2, to: 2) == Migrated("a2"))
        #expect(chain.pointer(JSONPointer(tokens: ["a", "b", "c"]), ofCurrentIn: 2).description == "/a")
    }

    @Test(
        arguments: [
            ([], "test has no migration step"),
            ([step(1, 2), step(3, 4)], "test has no step from 2"),
            ([step(1, 2), step(1, 2)], "test has twice the step from 1"),
            ([step(1, 3)], "the step 1 to 3 of test does not lead from a positive version one version up"),
            ([step(2, 1)], "the step 2 to 1 of test does not lead from a positive version one version up"),
            ([step(0, 1)], "the step 0 to 1 of test does not lead from a positive version one version up"),
            (
                [step(.max, .min)],
                "the step \(Int.max) to \(Int.min) of test does not lead from a positive version one version up"
            ),
            ([step(1, 2, format: "other")], "the step 1 to 2 of other is in the chain of test"),
        ] as [([MigrationStep], String)]
    )
    func faultyChainsAreRefused(steps: [MigrationStep], message: String) {
        let error = #expect(throws: AppFormatError.self) { try MigrationChain(format: "test", steps: steps) }
        #expect(error?.code == .migrationChain)
        #expect(error?.message == message)
    }

    @Test(arguments: [(0, 1), (1, 3), (-1, 1), (1, .max), (.min, 2)])
    func unknownVersionsAreRefused(from: Int, to: Int) throws {
        let chain = try MigrationChain(format: "test", steps: [Self.step(1, 2)])
        #expect(throws: AppFormatError.self) { try chain.migrate("a", from: from, to: to) }
    }
}
