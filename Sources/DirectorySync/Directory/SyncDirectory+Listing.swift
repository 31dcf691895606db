internal import RecordMerge

extension SyncDirectory {
    /// Lists the directory by its names, without opening a file.
    ///
    /// A listing may be old or incomplete. So nothing follows from a missing file.
    ///
    /// - Parameter sizes: Whether to read the size of each file, which takes a call for each.
    /// - Throws: `absent`, or the system's error for the folder itself.
    package func listing(sizes: Bool = false) throws(DirectoryError) -> DirectoryListing {
        try files.refresh()
        var collector = ListingCollector()
        collector.listing.problems = files.problems
        collector.listing.placeholders = files.placeholders
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
                } else if FileName.isFolder(name, SeenMark.folder) {
                    for mark in names(in: name, &collector).sorted() {
                        if let mark = SeenMark(name: mark, in: name) {
                            collector.listing.marks.append(mark)
                        } else if let mark = RetirementMark(name: mark, in: name) {
                            collector.listing.retirements.append(mark)
                        } else {
                            collector.listing.ignored += 1
                        }
                    }
                } else if name.lowercased() != FileName.readme.lowercased() {
                    collector.listing.ignored += 1
                }
            }
        }
        var listing = collector.finished()
        if sizes { try addSizes(to: &listing) }
        return listing
    }

    private func listWriters(_ folder: String, _ collector: inout ListingCollector) {
        for name in names(in: folder, &collector).sorted() {
            if let writer = FileName.writer(ofFolder: name) {
                list("\(folder)/\(name)", of: writer, &collector)
            } else {
                collector.listing.ignored += 1
            }
        }
    }

    private func list(_ folder: String, of writer: WriterID?, _ collector: inout ListingCollector) {
        let (segments, packs) = (collector.listing.segments.count, collector.listing.packs.count)
        for name in names(in: folder, &collector) {
            collector.add(FileName.read(name, in: folder, of: writer), "\(folder)/\(name)")
        }
        collector.listing.segments[segments...].sort { $0.comes(before: $1) }
        collector.listing.packs[packs...].sort { $0.comes(before: $1) }
    }

    /// Returns the names in a folder; an unreadable folder does not keep others from being read.
    private func names(in folder: String, _ collector: inout ListingCollector) -> [String] {
        do throws(DirectoryError) {
            let found = try files.names(in: folder)
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
                listing[keyPath: list][index].size = try files.size(of: file.path)
            }
        }
    }
}

/// Collects the files of a listing.
private struct ListingCollector {
    var listing = DirectoryListing()

    mutating func add(_ found: FileName.Found, _ path: @autoclosure () -> String) {
        switch found {
        case .ignored: listing.ignored += 1
        case .placeholder: listing.placeholders.append(path())
        case .file(let file) where file.isConflictCopy: listing.doubtful.append(file)
        case .file(let file):
            switch file.kind {
            case .segment: listing.segments.append(file)
            case .pack: listing.packs.append(file)
            case .checkpoint: listing.checkpoints.append(file)
            }
        }
    }

    func finished() -> DirectoryListing {
        var listing = listing
        for list in [\DirectoryListing.segments, \.packs, \.checkpoints] {
            // Folders come in the order of writers, unless a transport made copies.
            if !isOrdered(listing[keyPath: list]) { listing[keyPath: list].sort { $0.comes(before: $1) } }
            let (files, copies) = unique(listing[keyPath: list])
            if !copies.isEmpty { listing[keyPath: list] = files }
            listing.doubtful += copies
        }
        listing.doubtful.sort { $0.comes(before: $1) }
        listing.placeholders.sort()
        return listing
    }

    private func isOrdered(_ files: [ListedFile]) -> Bool {
        files.indices.dropFirst().allSatisfy { !files[$0].comes(before: files[$0 - 1]) }
    }

    /// Keeps the file in its proper place, if a transport copied its folder.
    private func unique(_ files: [ListedFile]) -> (files: [ListedFile], copies: [ListedFile]) {
        var kept: [ListedFile] = []
        var copies: [ListedFile] = []
        kept.reserveCapacity(files.count)
        for file in files {
            guard let last = kept.last, last.isSame(as: file) else {
                kept.append(file)
                continue
            }
            let isBetter = file.path == file.properPath
            if isBetter { kept[kept.count - 1] = file }
            copies.append((isBetter ? last : file).asConflictCopy)
        }
        return (kept, copies)
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

    fileprivate func isSame(as other: ListedFile) -> Bool {
        sequence == other.sequence && last == other.last && hash == other.hash && writer == other.writer
    }

    /// Returns whether a file comes before another, by writer, numbers, hash and path.
    fileprivate func comes(before other: ListedFile) -> Bool {
        if writer != other.writer { return writer < other.writer }
        if sequence != other.sequence { return sequence < other.sequence }
        if last != other.last { return last < other.last }
        return hash == other.hash ? path < other.path : hash < other.hash
    }
}
