import Foundation
import StrictJSON
import Testing
import TestSupport

/// The moment that tests take for the present one: a Saturday.
let trackerNow = "2026-03-07T18:00:00Z"

extension Sandbox {
    /// Runs the built tracker-export; its default store lies in the sandbox.
    @discardableResult
    func tracker(_ arguments: String..., input: String? = nil) async throws -> Outcome {
        try await tracker(arguments, input: input.map { Array($0.utf8) })
    }

    /// Runs the built tracker-export with arguments from an array.
    @discardableResult
    func tracker(_ arguments: [String], input: [UInt8]? = nil) async throws -> Outcome {
        try await run(Built.path("tracker-export"), arguments, input: input)
    }

    /// Makes a store with the sample, in a zone with daylight-saving time.
    func sampleLog(_ name: String = "tracker.db") async throws -> String {
        let outcome = try await tracker(
            ["init", "--sample", "--store", path(name), "--now", trackerNow, "--time-zone", "Europe/Berlin"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path(name)
    }

    /// Exports a store to a file of the tests' moment, and gives its bytes.
    @discardableResult
    func exportedLog(_ store: String, to file: String, _ more: String...) async throws -> [UInt8] {
        try remove(file)
        let arguments = ["export", path(file), "--store", store, "--now", trackerNow, "--time-zone", "UTC"] + more
        let outcome = try await tracker(arguments)
        #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
        return try bytes(file)
    }
}
