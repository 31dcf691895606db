extension ArchiveReader {
    /// Finds out what a source is and sets up its reading.
    static func stage(
        _ source: ByteSource,
        _ limits: ArchiveLimits
    ) throws(ArchiveError) -> (ArchiveContainer, Stage) {
        let head = try source.bytes(at: 0, count: Magic.length)
        if Magic.isZip(head) { return (ArchiveContainer(form: .zip, compression: .none), try zip(source, limits)) }
        let compression = Magic.compression(head)
        if compression != .none {
            let stream = try ContentStream(source, compression, limits: limits)
            if Magic.isTar(try stream.peek()) {
                return (ArchiveContainer(form: .tar, compression: compression), try tar(stream))
            }
            try checkDamagedTar(try stream.peek())
            return (ArchiveContainer(form: .single, compression: compression), .single(stream))
        }
        if Magic.isTar(head) {
            return (ArchiveContainer(form: .tar, compression: .none), try tar(SourceFeed(source)))
        }
        try checkDamagedTar(head)
        if let format = Magic.foreign(head) {
            throw ArchiveError(.unsupported, "this is \(format), which is not read; unpack it and use what is inside")
        }
        throw ArchiveError(.unrecognized, "this is no zip, no tar and no compressed file")
    }

    private static func checkDamagedTar(_ head: [UInt8]) throws(ArchiveError) {
        guard Magic.isDamagedTar(head) else { return }
        throw ArchiveError(.corrupted, "the first header of the tar is damaged; get an undamaged copy")
    }

    private static func tar(_ feed: any ReadFeed) throws(ArchiveError) -> Stage {
        // A feed without seeking: the library then reads every byte, and the end can be checked.
        let tar = TarFeed(feed)
        return .tar(try ReadHandle(.tar, feed: tar), tar)
    }

    private static func zip(_ source: ByteSource, _ limits: ArchiveLimits) throws(ArchiveError) -> Stage {
        let directory = try ZipDirectory(source, limits: limits)
        var sizes: [String: Int] = [:]
        var register = NameRegister()
        for entry in directory.entries {
            let name = try EntryName.checked(entry.name, limits: limits)
            guard !name.isEmpty else { throw ArchiveError(.nameEmpty, "an entry has no name") }
            try register.insert(name)
            sizes[name] = entry.size
        }
        // The library takes a zip without entries for no archive at all.
        return .zip(sizes.isEmpty ? nil : try ReadHandle(.zip, feed: SourceFeed(source)), sizes)
    }
}
