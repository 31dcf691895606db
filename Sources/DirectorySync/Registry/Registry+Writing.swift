internal import RecordStore
package import StrictJSON

extension Registry {
    /// The registry as the file has it: what this program knows first, then what it does not.
    package var json: JSONValue {
        var object: JSONObject = ["format": .string(Self.format), "version": .number(Self.version)]
        object["device"] = device.map { .object($0.json.adding(others[.device])) }
        object["folders"] = .array(folders.map { .object($0.json) })
        if !devices.isEmpty {
            var known = JSONObject()
            for (id, device) in devices.sorted(by: { $0.key < $1.key }) { known[id] = .object(device.json) }
            object["devices"] = .object(known)
        }
        return .object(object.adding(others[.file]))
    }
}

extension OtherDevice {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["name"] = name.map { .string($0) }
        if isRetired { object["retired"] = true }
        return object.adding(others)
    }
}

extension JoinedFolder {
    fileprivate var json: JSONObject {
        let object: JSONObject = [
            "path": .string(path),
            "space": .string(space),
            "stores": .array(stores.map { .object($0.json) }),
            "inboxes": .array(inboxes.map { .object($0.json) }),
        ]
        return object.adding(others)
    }
}

extension JoinedStore {
    fileprivate var json: JSONObject {
        let object: JSONObject = ["app": .string(app.rawValue), "path": .string(path)]
        return object.adding(others)
    }
}

extension Inbox {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["path": .string(path), "device": .object(device.json)]
        object["store"] = store.map { .string($0) }
        return object.adding(others)
    }
}

extension SyncDevice {
    /// The device as results and the registry have it.
    package var json: JSONObject { ["id": .string(id), "name": .string(name)] }
}

extension JSONObject {
    fileprivate func adding(_ others: JSONObject?) -> JSONObject {
        var object = self
        for member in others ?? JSONObject() { object[member.name] = member.value }
        return object
    }
}
