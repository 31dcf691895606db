import CommandSupport
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync
@testable import foldersync

@Suite("The registry of foldersync")
struct RegistryTests {
    static let text = """
        {
          "format": "satchel-foldersync",
          "version": 1,
          "device": {
            "id": "0123456789abcdef",
            "name": "Laptop",
            "colour": "blue"
          },
          "folders": [
            {
              "path": "/home/ada/Sync",
              "space": "fedcba9876543210",
              "stores": [
                {
                  "app": "slate",
                  "path": "/home/ada/slate.db",
                  "since": 2026
                }
              ],
              "inboxes": [
                {
                  "path": "/home/ada/Phone",
                  "device": {
                    "id": "aaaaaaaaaaaaaaaa",
                    "name": "Phone"
                  },
                  "store": "/home/ada/slate.db",
                  "mode": [
                    1
                  ]
                }
              ],
              "paused": false
            }
          ],
          "theme": {
            "dark": true
          }
        }

        """

    @Test("What is read is written again, what is not known included")
    func roundTrip() throws {
        let registry = try Registry(reading: Array(Self.text.utf8), file: "r.json")
        #expect(registry.device == SyncDevice(id: "0123456789abcdef", name: "Laptop"))
        #expect(registry.folders.first?.store(of: .slate)?.path == "/home/ada/slate.db")
        #expect(registry.folders.first?.inboxes.first?.device.name == "Phone")
        let again = String(decoding: registry.json.encoded(.indented), as: UTF8.self)
        #expect(again == Self.text)
    }

    static let faults: [(old: String, new: String, message: String)] = [
        ("\"satchel-foldersync\"", "\"slate\"", "r.json:2:13: error[foldersync.registry]: found \"slate\", expected"),
        (
            "\"version\": 1", "\"version\": 2",
            "r.json:3:14: error[foldersync.registry]: found version 2, expected at most"
        ),
        (
            "\"version\": 1", "\"version\": \"1\"",
            "r.json:3:14: error[foldersync.registry]: found \"1\", expected a version"
        ),
        ("\"0123456789abcdef\"", "\"ABC\"", "r.json:5:11: error[foldersync.registry]: found \"ABC\", expected 16"),
        (
            "\"name\": \"Laptop\",", "\"name\": \" \",",
            "r.json:6:13: error[foldersync.registry]: found \" \", expected a name"
        ),
        (
            "\"/home/ada/Sync\"", "\"Sync\"",
            "r.json:11:15: error[foldersync.registry]: found \"Sync\", expected an absolute"
        ),
        ("\"slate\"", "\"No App\"", "expected one of bztimer, slate, tracker, study (at /folders/0/stores/0/app)"),
        ("\"space\": \"fedcba9876543210\",", "", "found no member \"space\", expected one (at /folders/0)"),
        ("\"folders\": [", "\"folders\": {}, \"x\": [", "found an object, expected an array (at /folders)"),
        ("\"colour\": \"blue\"", "\"name\": \"x\"", "json.duplicate-name"),
        ("\"inboxes\": [", "\"inboxes\": [1, ", "found 1, expected an object, an inbox (at /folders/0/inboxes/0)"),
    ]

    @Test("A fault is named with its place, what was found and what was expected", arguments: faults)
    func fault(_ fault: (old: String, new: String, message: String)) throws {
        let text = Self.text.replacing(fault.old, with: fault.new, maxReplacements: 1)
        #expect(text != Self.text)
        let failure = try #require(throws: RegistryError.self) {
            try Registry(reading: Array(text.utf8), file: "r.json")
        }
        #expect(failure.description.contains(fault.message), "\(failure.description)")
    }

    @Test("Neither a folder nor the store of an app is there twice, and folders need a device")
    func twice() throws {
        var registry = try Registry(reading: Array(Self.text.utf8), file: "r.json")
        registry.folders.append(registry.folders[0])
        try expectFailure(of: registry, "found the folder /home/ada/Sync a second time")
        registry.folders.removeLast()
        registry.folders[0].stores.append(JoinedStore(app: .slate, path: "/other"))
        try expectFailure(of: registry, "found a second store of slate")
        registry.folders[0].stores.removeLast()
        registry.device = nil
        try expectFailure(of: registry, "found folders and no device")
    }

    private func expectFailure(of registry: Registry, _ message: String) throws {
        let failure = try #require(throws: RegistryError.self) {
            try Registry(reading: registry.json.encoded(.indented), file: "r.json")
        }
        #expect(failure.description.contains(message), "\(failure.description)")
    }

    @Test("Without a file there is nothing joined; its folder is made")
    func update() throws {
        let sandbox = try Sandbox()
        let file = RegistryFile(path: sandbox.path("state/satchel/foldersync.json"))
        #expect(try file.read() == Registry())
        try file.update { $0.device = SyncDevice(id: Identifier.device(), name: "A") }
        #expect(try file.read().device?.name == "A")
        let names = try sandbox.names()
        #expect(!names.contains { $0.hasSuffix(".tmp") }, "\(names)")
    }

    @Test("A change that fails leaves the file as it is; a file that is damaged is not replaced")
    func failedChange() throws {
        struct Stop: Error {}
        let sandbox = try Sandbox()
        let file = RegistryFile(path: sandbox.path("r.json"))
        try sandbox.write("r.json", Self.text)
        #expect(throws: Stop.self) {
            try file.update { registry in
                registry.folders = []
                throw Stop()
            }
        }
        #expect(try sandbox.bytes("r.json") == Array(Self.text.utf8))
        try sandbox.write("r.json", "{\"format\": \"satchel-fold")
        #expect(throws: RegistryError.self) { try file.update { $0.folders = [] } }
        #expect(try sandbox.bytes("r.json") == Array("{\"format\": \"satchel-fold".utf8))
    }

    @Test("Of many that write at once none loses what another wrote")
    func concurrent() async throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("r.json")
        try await withThrowingTaskGroup { group in
            for number in 0..<24 {
                group.addTask {
                    try RegistryFile(path: path).update { registry in
                        registry.device = registry.device ?? SyncDevice(id: "0123456789abcdef", name: "A")
                        registry.folders.append(JoinedFolder(path: "/f\(number)", space: "fedcba9876543210"))
                    }
                }
            }
            try await group.waitForAll()
        }
        let folders = try RegistryFile(path: path).read().folders
        #expect(Set(folders.map(\.path)) == Set((0..<24).map { "/f\($0)" }))
    }

    @Test("Where the registry lies: the option, the variable, XDG, the home folder")
    func place() throws {
        let environment = ["SATCHEL_FOLDERSYNC": "/v/r.json", "XDG_STATE_HOME": "/x", "HOME": "/h"]
        func path(_ given: String?, without: String...) throws -> String {
            try ConfigOption.file(given, environment: environment.filter { !without.contains($0.key) }).path
        }
        #expect(try path("/o/r.json") == "/o/r.json")
        #expect(try path(nil) == "/v/r.json")
        #expect(try path(nil, without: "SATCHEL_FOLDERSYNC") == "/x/satchel/foldersync.json")
        #expect(
            try path(nil, without: "SATCHEL_FOLDERSYNC", "XDG_STATE_HOME") == "/h/.local/state/satchel/foldersync.json"
        )
        #expect(throws: CommandFailure.self) { try ConfigOption.file(nil, environment: ["XDG_STATE_HOME": "x"]) }
        #expect(throws: CommandFailure.self) { try ConfigOption.file("", environment: environment) }
    }

    @Test("A folder is found through a link, and one that was not joined is told from one that was moved")
    func folders() throws {
        let sandbox = try Sandbox()
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: sandbox.path(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("link"), withDestinationPath: sandbox.path("a"))
        let joined = JoinedFolder(path: ResolvedPath(sandbox.path("a")).text, space: "fedcba9876543210")
        let registry = Registry(device: nil, folders: [joined])
        #expect(try registry.joined(sandbox.path("link")) == joined)
        #expect(try registry.joined(sandbox.path("a/")) == joined)
        let failure = try #require(throws: CommandFailure.self) { try registry.joined(sandbox.path("b")) }
        #expect(failure.status == .noInput)
        #expect(failure.description.contains("foldersync join"))
    }

    @Test("Identifiers are of the right characters, and the same for the same random numbers")
    func identifiers() {
        var one = SeededGenerator(seed: 7)
        var two = SeededGenerator(seed: 7)
        let identifier = Identifier.make(16, using: &one)
        #expect(identifier == Identifier.make(16, using: &two))
        #expect(Identifier.isValid(identifier, count: 16))
        #expect(!Identifier.isValid(identifier, count: 12))
        #expect(!Identifier.isValid("0123456789abcdeF", count: 16))
        #expect(Identifier.device() != Identifier.device())
    }
}
