@testable import RecordStore
import Testing
import TestSupport

struct LocationTests {
    @Test(
        "The default store lies where XDG says",
        arguments: [
            (["XDG_DATA_HOME": "/data", "HOME": "/home/a"], "/data/satchel/bztimer.db"),
            (["XDG_DATA_HOME": "relative", "HOME": "/home/a"], "/home/a/.local/share/satchel/bztimer.db"),
            (["XDG_DATA_HOME": "", "HOME": "/home/a"], "/home/a/.local/share/satchel/bztimer.db"),
            (["HOME": "/home/a"], "/home/a/.local/share/satchel/bztimer.db"),
            ([:], nil),
        ] as [([String: String], String?)]
    )
    func path(_ environment: [String: String], _ expected: String?) {
        #expect(StoreLocation.path(of: "bztimer.db", environment: environment) == expected)
    }

    @Test("An import that fails takes no folder away that another thread just made")
    func unusedFolders() throws {
        let sandbox = try Sandbox()
        for name in ["a/x.db", "a/x.db.safety/copy", "b/y.db.safety/copy"] {
            try StoreLocation.createFolder(of: sandbox.path(name))
        }
        StoreLocation.removeUnusedFolders(of: sandbox.path("a/x.db"))
        #expect(!sandbox.has("a") && sandbox.has("b/y.db.safety"))
        StoreLocation.removeUnusedFolders(of: sandbox.path("b/y.db"))
        #expect(!sandbox.has("b"))
    }
}
