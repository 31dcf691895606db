internal import RecordMerge
internal import SQLiteDatabase

/// Files that are not what their names say.
extension Replica {
    /// Returns the files of this device, and known ones of retired devices, that do not match their names.
    ///
    /// A file under this device's name that it does not know may still be arriving: it wrote that before it was set back,
    /// or a copy of the device did.
    func damagedFiles(_ session: SyncSession) throws -> [ListedFile] {
        let retired = Set(session.listing.retirements.map(\.device))
        return try (session.listing.segments + session.listing.packs).filter { file in
            guard try session.isOwn(file) || session.isKnown(file, of: retired) else { return false }
            do {
                try directory.verify(file)
                return false
            } catch let error as DirectoryError {
                guard error.errno == nil, error.code != .notDownloaded else { return false }
                return true
            }
        }
    }

    /// Returns whether a transport's copy of a file has nothing usable.
    func isDamaged(copy file: ListedFile) -> Bool {
        do {
            guard file.kind == .segment else {
                try directory.verify(file)
                return false
            }
            let (bytes, hash) = try directory.contents(of: file)
            if hash != file.hash { try directory.coder.read(bytes) }
            return false
        } catch {
            return error.isDamage
        }
    }

    /// Returns the damaged copies of intact files.
    func needlessCopies(_ listing: DirectoryListing) -> [ListedFile] {
        listing.doubtful.filter { isDamaged(copy: $0) && isWhole(originalOf: $0, listing) }
    }

    /// Returns the message about a damaged copy.
    func words(ofCopy file: ListedFile, _ listing: DirectoryListing) -> String {
        isWhole(originalOf: file, listing)
            ? "it is a damaged copy of \(file.properPath), which is whole: \"foldersync repair\" removes it"
            : "it is a damaged copy of \(file.properPath), which is not there, or not whole"
    }

    private func isWhole(originalOf copy: ListedFile, _ listing: DirectoryListing) -> Bool {
        let files =
            switch copy.kind {
            case .segment: listing.segments
            case .pack: listing.packs
            case .checkpoint: listing.checkpoints
            }
        return files.contains { file in
            guard file.path != copy.path, file.writer == copy.writer, file.hash == copy.hash else { return false }
            return (try? directory.verify(file)) != nil
        }
    }
}
