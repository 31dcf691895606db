internal import AgeFile
internal import FolderEncryption
internal import StrictJSON

/// A sealed file by which a device tells the others its name and its public key.
struct MemberNote: Sendable, Hashable {
    /// The folder of these notes.
    static let folder = "member"

    let device: SyncDevice
    let publicKey: [UInt8]

    var path: String { "\(Self.folder)/\(device.id)-\(keyName).member" }

    /// The name of the public key.
    var keyName: String { Hex.hash(publicKey) }

    /// Returns whether a text is the name of a public key, which no device's identifier is.
    static func isKeyName(_ text: String) -> Bool { text.utf8.count == 32 }

    /// Returns the path of an empty file by which a device that was removed, and has a later key, takes part again.
    ///
    /// Only who has the key of the epoch that removed the device can make its name, whoever seals the file.
    static func again(_ device: String, keyName: String, _ key: EpochKey) -> String {
        "\(folder)/\(device)-\(keyName).\(key.proof(of: device, keyName)).again"
    }

    init(_ device: SyncDevice, _ publicKey: [UInt8]) {
        self.device = device
        self.publicKey = publicKey
    }

    func encoded() -> [UInt8] {
        var object = JSONObject()
        object["format"] = "satchel-member"
        object["version"] = 1
        object["device"] = ["id": .string(device.id), "name": .string(device.name)]
        object["key"] = .string(String(decoding: Base64.encode(publicKey), as: UTF8.self))
        return JSONValue.object(object).encoded(.compact)
    }

    /// Reads a note; nil where it is none.
    init?(reading bytes: [UInt8]) {
        guard let root = try? JSONDocument(parsing: bytes).root, root["format"]?.string == "satchel-member",
            root["version"]?.int == 1, let id = root["device"]?["id"]?.string,
            let name = root["device"]?["name"]?.string,
            let key = root["key"]?.string.flatMap({ Base64.decode(Array($0.utf8)) })
        else { return nil }
        self.init(SyncDevice(id: id, name: name), key)
    }
}
