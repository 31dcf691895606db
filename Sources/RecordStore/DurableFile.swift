package import FileSystem
internal import SystemPackage

/// Changes files of stores durably, and throws the stores' errors.
package enum DurableFile {
    /// Forces a file to the disk, renames it, and forces the folder to the disk.
    package static func rename(_ old: String, to new: String) throws(StoreError) {
        try run { () throws(FileError) in try Files.replace(new, with: old) }
    }

    /// Copies the bytes of a file to a new one, without forcing it to the disk.
    package static func copy(_ old: String, to new: String) throws(StoreError) {
        try run { () throws(FileError) in try Files.copy(old, to: new) }
    }

    private static func run(_ call: () throws(FileError) -> Void) throws(StoreError) {
        do throws(FileError) {
            try call()
        } catch {
            throw StoreError(error)
        }
    }
}

extension StoreError {
    /// Makes a store's error of a refusal by the system.
    package init(_ error: FileError) {
        let isNoFile = error.step == .open || (error.step == .create && error.errno != .noSpace)
        self.init(
            isNoFile ? .cannotOpen : .inputOutput,
            "\(error.path) cannot be \(error.step.participle) (\(error.reason))",
            path: error.path
        )
    }
}

extension FileError.Step {
    /// The step as a participle.
    fileprivate var participle: String {
        switch self {
        case .open: "opened"
        case .read, .list, .look, .content: "read"
        case .create, .makeFolder: "created"
        case .write: "written"
        case .force, .forceFolder: "forced to the disk"
        case .rename: "renamed"
        case .remove: "removed"
        case .lock: "locked"
        }
    }
}
