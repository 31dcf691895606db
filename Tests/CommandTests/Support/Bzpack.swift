import Testing
import TestSupport

extension Sandbox {
    /// Runs the built bzpack; its default store lies in the sandbox.
    @discardableResult
    func bzpack(_ arguments: String..., input: String? = nil) async throws -> Outcome {
        try await bzpack(arguments, input: input.map { Array($0.utf8) })
    }

    /// Runs the built bzpack with arguments from an array.
    func bzpack(_ arguments: [String], input: [UInt8]? = nil) async throws -> Outcome {
        try await run(Built.path("bzpack"), arguments, input: input)
    }

    /// Makes a store on the Pro plan with the sample session.
    @discardableResult
    func trainer(_ store: String = "trainer.db") async throws -> String {
        let outcome = try await bzpack("init", "--sample", "--store", path(store))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path(store)
    }

    /// Makes an empty store on a plan.
    @discardableResult
    func client(_ store: String = "client.db", pro: Bool = false) async throws -> String {
        let outcome = try await bzpack(["init", "--store", path(store)] + (pro ? ["--pro"] : []))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path(store)
    }
}
