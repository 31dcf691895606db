import Testing

@testable import DirectorySync

@Suite("Devices")
struct DeviceTests {
    @Test("A device is known by its identifier and its name")
    func device() {
        #expect(SyncDevice(id: "a", name: "Laptop") != SyncDevice(id: "a", name: "Phone"))
    }
}
