internal import Foundation
internal import Subprocess

/// A fault at the n-th call of a program that changes a file; see Tests/Faults/faults.c.
public struct Fault: Sendable, CustomStringConvertible {
    /// What happens.
    public enum Kind: String, Sendable, CaseIterable {
        /// The program is killed before the call.
        case kill
        /// It is killed in the midst of the call.
        case torn
        /// From the call on, there is no space left.
        case full
        /// The call fails.
        case io
        /// The call is not done, and says that it is.
        case lost
        /// Of the files of the shared directory that are opened for reading, the n-th is not to be had.
        case stale
    }

    /// What happens.
    public let kind: Kind
    /// At which call, from 1 on.
    public let number: Int

    /// A fault.
    public init(kind: Kind, number: Int) {
        self.kind = kind
        self.number = number
    }

    /// As the library is told of it.
    public var description: String { "\(kind):\(number)" }
}

/// A call of a program that changes a file.
public struct FileCall: Hashable, Sendable {
    /// What is called.
    public let name: String
    /// The path, without what differs from run to run.
    public let path: String

    fileprivate init(_ line: Substring) {
        let parts = line.split(separator: "\t", maxSplits: 1)
        name = String(parts.first ?? "")
        let path = parts.dropFirst().first ?? ""
        self.path = path.split(separator: "/").last.map(String.init) ?? ""
    }
}

/// The library that makes faults: compiled when it is first asked for, and loaded into a program before its own.
public enum FaultLibrary {
    private static let source = SharedFolder.project.appending(path: "Tests/Faults/faults.c").path
    private static let library =
        URL(filePath: CommandLine.arguments.first ?? "faults").resolvingSymlinksInPath().path + "-faults.so"

    /// Whether there is a C compiler, and programs load such libraries.
    public static let isAvailable = Task {
        guard let sandbox = try? Sandbox(), FileManager.default.fileExists(atPath: source) else { return false }
        let options = ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]
        guard let built = try? await sandbox.run("/usr/bin/cc", options), built.status == 0 else { return false }
        guard let (_, calls) = try? await run("/bin/sh", ["-c", ": >made"], in: sandbox) else { return false }
        return calls.contains { $0.path == "made" }
    }

    /// Runs a program with a fault, or without one; gives the calls up to the fault as well.
    public static func run(
        _ program: String,
        _ arguments: [String],
        in sandbox: Sandbox,
        _ fault: Fault? = nil
    ) async throws -> (Outcome, [FileCall]) {
        let log = try Sandbox()
        let environment: [Environment.Key: String?] = [
            "LD_PRELOAD": library, "SATCHEL_FAULT": fault?.description, "SATCHEL_FAULT_LOG": log.path("log"),
        ]
        let outcome = try await sandbox.run(program, arguments, environment: environment)
        let lines = log.has("log") ? String(decoding: try log.bytes("log"), as: UTF8.self) : ""
        return (outcome, lines.split(separator: "\n").map(FileCall.init))
    }

    /// Whether there are to be faults at all calls.
    public static let isEach = ProcessInfo.processInfo.environment["SATCHEL_ALL_FAULTS"] != nil

    /// At which calls there are to be faults: at the first of each series of equal ones, or at all.
    ///
    /// - Parameter both: Whether there is one within the series besides its first.
    public static func points(_ calls: [FileCall], both: Bool, using random: inout SeededGenerator) -> [Int] {
        guard !isEach else { return Array(calls.indices) }
        var points: Set<Int> = []
        var start = 0
        for index in calls.indices where index + 1 == calls.count || calls[index + 1] != calls[index] {
            points.insert(start)
            if both { points.insert(Int.random(in: start...index, using: &random)) }
            start = index + 1
        }
        return points.sorted()
    }
}
