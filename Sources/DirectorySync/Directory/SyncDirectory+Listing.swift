internal import RecordMerge

extension SyncDirectory {
    /// What is in the directory, by the names alone: no file is opened.
    ///
    /// What is not listed may still be there: a listing can be old, or leave files out. So nothing follows from a file's
    /// absence.
    ///
    /// - Parameter sizes: Whether to ask for the size of each file, which takes a call for each.
    /// - Throws: `absent`, or what the system said about the folder itself.
    package func listing(sizes: Bool = false) throws(DirectoryError) -> DirectoryListing {
        var collector = ListingCollector()
        let root = try rootNames()
        collector.listing.ignored += root.unreadable
        for name in root.names {
            switch Spaces.marker(name) {
            case .root(let space): collector.listing.spaces.add(root: space)
            case .adoption(let adoption): collector.listing.spaces.add(adoption)
            case nil:
                if FileName.isFolder(name, FileName.writers) {
                    listWriters(name, &collector)
                } else if FileName.isFolder(name, FileName.checkpoints) {
                    list(name, of: nil, &collector)
                } else if name != FileName.readme {
                    collector.listing.ignored += 1
                }
            }
        }
        var listing = collector.finished()
        if sizes { try addSizes(to: &listing) }
        return listing
    }

    private func listWriters(_ folder: String, _ collector: inout ListingCollector) {
        for name in names(in: folder, &collector) {
            if let writer = FileName.writer(ofFolder: name) {
                list("\(folder)/\(name)", of: writer, &collector)
            } else {
                collector.listing.ignored += 1
            }
        }
    }

    private func list(_ folder: String, of writer: WriterID?, _ collector: inout ListingCollector) {
        for name in names(in: folder, &collector) {
            collector.add(FileName.read(name, in: folder, of: writer), "\(folder)/\(name)")
        }
    }

    /// The names in a folder; one that cannot be read keeps no other from being read.
    private func names(in folder: String, _ collector: inout ListingCollector) -> [String] {
        do throws(DirectoryError) {
            let found = try FolderCalls.names(in: absolute(folder))
            collector.listing.ignored += found.unreadable
            return found.names
        } catch {
            if error.isNoFolder {
                collector.listing.ignored += 1
            } else if error.code != .gone {
                collector.listing.problems.append(error)
            }
            return []
        }
    }

    private func addSizes(to listing: inout DirectoryListing) throws(DirectoryError) {
        for list in [\DirectoryListing.segments, \.packs, \.checkpoints, \.doubtful] {
            for index in listing[keyPath: list].indices {
                let file = listing[keyPath: list][index]
                listing[keyPath: list][index].size = try FolderCalls.size(of: absolute(file.path))
            }
        }
    }
}

/// Collects what a listing finds.
private struct ListingCollector {
    var listing = DirectoryListing()
    private var byPlace: [String: ListedFile] = [:]

    mutating func add(_ found: FileName.Found, _ path: String) {
        switch found {
        case .ignored: listing.ignored += 1
        case .placeholder: listing.placeholders.append(path)
        case .file(let file) where file.isConflictCopy: listing.doubtful.append(file)
        case .file(let file): add(file)
        }
    }

    /// The same file may lie in a folder that a carrier doubled as well.
    private mutating func add(_ file: ListedFile) {
        let place = file.properPath
        guard let other = byPlace[place] else {
            byPlace[place] = file
            return
        }
        let (kept, copy) = file.path == place ? (file, other) : (other, file)
        byPlace[place] = kept
        listing.doubtful.append(copy.asConflictCopy)
    }

    func finished() -> DirectoryListing {
        var listing = listing
        for file in byPlace.values {
            switch file.kind {
            case .segment: listing.segments.append(file)
            case .pack: listing.packs.append(file)
            case .checkpoint: listing.checkpoints.append(file)
            }
        }
        for list in [\DirectoryListing.segments, \.packs, \.checkpoints, \.doubtful] {
            listing[keyPath: list].sort { $0.order < $1.order }
        }
        listing.placeholders.sort()
        return listing
    }
}

extension ListedFile {
    fileprivate var asConflictCopy: ListedFile {
        ListedFile(
            kind,
            path: path,
            writer: writer,
            sequence: sequence,
            last: last,
            hash: hash,
            isConflictCopy: true
        )
    }

    fileprivate var order: (String, Int, Int, String, String) { (writer.description, sequence, last, hash, path) }
}
