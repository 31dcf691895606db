import RecordStore
import Testing

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
}
