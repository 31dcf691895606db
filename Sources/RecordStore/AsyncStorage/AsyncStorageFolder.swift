internal import Crypto
internal import FileSystem
internal import FormatKit
internal import StrictJSON

/// The storage of an iPhone: `manifest.json` holds the short values, and null for each that has a file of its own.
package struct AsyncStorageFolder {
    package static let manifestName = "manifest.json"
    /// The name that React Native gives to the folder.
    package static let folderName = "RCTAsyncLocalStorage_V1"

    package let path: String

    package func read(_ keys: Set<String>) throws(StoreError) -> AsyncStorage {
        let folder = folder
        var storage = AsyncStorage(path: path, layout: .folder)
        let file = "\(folder)/\(Self.manifestName)"
        do throws(StorageFile.Fault) {
            guard let bytes = try StorageFile.bytes(file, limit: AsyncStorage.largestValue) else {
                let message = "the folder has no \(Self.manifestName), so it is no AsyncStorage of an iPhone"
                throw StorageFile.Fault(reason: message)
            }
            read(bytes, of: file, folder, keys, &storage)
        } catch {
            guard StorageFile.isMissing(file) else { throw StoreError(error.code, error.reason, path: file) }
            throw StoreError(.unrecognized, error.reason, path: path)
        }
        return storage
    }

    /// The folder itself, or React Native's folder in it.
    private var folder: String {
        let inner = "\(path)/\(Self.folderName)"
        return StorageFile.isMissing("\(path)/\(Self.manifestName)") && Files.isFolder(inner) ? inner : path
    }

    private func read(
        _ bytes: [UInt8],
        of file: String,
        _ folder: String,
        _ keys: Set<String>,
        _ storage: inout AsyncStorage
    ) {
        do throws(JSONError) {
            let root = try JSONDocument(parsing: bytes).root
            guard root.kind == .object else {
                let message = "the manifest is no object; only values in files of their own can be found"
                storage.report("storage.manifest", message, position: root.position, file: file)
                return readFiles(folder, keys, &storage)
            }
            for member in root.members {
                guard keys.contains(member.name) else {
                    storage.otherKeys += 1
                    continue
                }
                storage.add(value(member.value, of: member.name, in: folder), for: member.name)
            }
        } catch {
            let message =
                "\(error.message); the manifest cannot be used, only values in files of their own can be found"
            storage.report("storage.manifest", message, position: error.position, file: file)
            readFiles(folder, keys, &storage)
        }
    }

    private func value(_ node: JSONNode, of key: String, in folder: String) -> StoredValue {
        if let text = node.string { return .text(Array(text.utf8)) }
        guard node.kind == .null else { return .unusable("its value in the manifest is neither a string nor null") }
        return fileValue(of: key, in: folder)
            ?? .unusable(
                "the manifest says that its value lies in the file \(Self.fileName(of: key)), which is missing"
            )
    }

    /// Reads the files without the manifest: each is named after its key.
    private func readFiles(_ folder: String, _ keys: Set<String>, _ storage: inout AsyncStorage) {
        for key in keys.sorted() {
            if let value = fileValue(of: key, in: folder) { storage.add(value, for: key) }
        }
    }

    /// Returns a long value; only the key decides which file is opened.
    private func fileValue(of key: String, in folder: String) -> StoredValue? {
        let name = Self.fileName(of: key)
        do throws(StorageFile.Fault) {
            return try StorageFile.bytes("\(folder)/\(name)", limit: AsyncStorage.largestValue).map(StoredValue.text)
        } catch {
            return .unusable("the file \(name) with its value cannot be used: \(error.reason)")
        }
    }

    /// Returns the name of a long value's file: the MD5 of its key.
    package static func fileName(of key: String) -> String {
        Hex.text(Insecure.MD5.hash(data: Array(key.utf8)))
    }
}
