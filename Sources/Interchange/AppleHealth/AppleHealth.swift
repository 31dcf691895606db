public import ArchiveIO
public import StrictJSON
public import TimeTracker
internal import XMLIO

/// Reads the export of Apple Health: workouts become Exercise, sleep becomes Sleep; all else is passed over.
///
/// The memory does not depend on the length of the file, only on the number of nights and workouts. Its document type declaration, which
/// is malformed in many versions, is passed over, and control characters become spaces.
public enum AppleHealth {
    /// The options for turning health records into entries.
    public struct Options: Sendable {
        /// The naming of workouts.
        public var naming = WorkoutNaming.exercise
        /// The most seconds between two pieces of one sleep; half an hour unless told.
        public var sleepGap = 1800
        /// True if time in bed counts as sleep in nights in which no device recorded sleep.
        public var takesTimeInBed = true

        /// Makes the options.
        public init(naming: WorkoutNaming = .exercise, sleepGap: Int = 1800, takesTimeInBed: Bool = true) {
            self.naming = naming
            self.sleepGap = sleepGap
            self.takesTimeInBed = takesTimeInBed
        }
    }

    /// The ways to name a workout.
    public enum WorkoutNaming: String, Sendable, Hashable, CaseIterable {
        /// `Exercise`, as the tracker's own button.
        case exercise
        /// Its kind: `Running`.
        case kind
    }

    /// Hands on the entries of an `export.xml`: workouts in the order of the file, then sleep in the order of time.
    ///
    /// A record that cannot be used is a finding, and the others are read.
    ///
    /// - Throws: `xml.…` for what is no such file; what the sink throws.
    public static func read(
        _ source: JSONByteSource,
        options: Options = Options(),
        sink: (TimeEntry) throws -> Void
    ) throws -> EntrySummary {
        try read(from: source.read, "Apple Health", options, sink)
    }

    /// Hands on the entries of an `export.zip`, reading its `export.xml` as it is unpacked.
    ///
    /// - Throws: `archive.…`, `health.archive` where the export is not in it; else as for the file itself.
    public static func read(
        archive: ArchiveSource,
        options: Options = Options(),
        sink: (TimeEntry) throws -> Void
    ) throws -> EntrySummary {
        var limits = ArchiveLimits()
        (limits.entryCount, limits.entryBytes, limits.totalBytes) = (1_000_000, 1 << 40, 1 << 40)
        let reader = try ArchiveReader(archive, limits: limits)
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { head.deallocate() }
        while let entry = try reader.next() {
            guard entry.name.isEmpty || entry.name.lowercased().hasSuffix(".xml") else { continue }
            var count = 0
            var more = 1
            while count < head.count, more > 0 {
                more = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: head[count...]))
                count += more
            }
            guard isExport(UnsafeRawBufferPointer(rebasing: head[..<count])) else { continue }
            var rest = UnsafeRawBufferPointer(rebasing: head[..<count])
            let source = { (buffer: UnsafeMutableRawBufferPointer) throws -> Int in
                guard !rest.isEmpty else { return try reader.read(into: buffer) }
                let part = min(rest.count, buffer.count)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<part]))
                rest = UnsafeRawBufferPointer(rebasing: rest[part...])
                return part
            }
            return try read(from: source, "Apple Health, \(entry.name) in an archive", options, sink)
        }
        throw InterchangeError(.healthArchive, "the archive holds no export of Apple Health, such as export.xml")
    }

    /// Tells whether a file that begins so is an `export.xml`: its root element or its document type is `HealthData`.
    static func isExport(_ head: UnsafeRawBufferPointer) -> Bool {
        let text = String(decoding: head.prefix(1 << 16), as: UTF8.self)
        return text.contains("<HealthData") || text.contains("<!DOCTYPE HealthData")
    }

    private static func read(
        from source: (UnsafeMutableRawBufferPointer) throws -> Int,
        _ name: String,
        _ options: Options,
        _ sink: (TimeEntry) throws -> Void
    ) throws -> EntrySummary {
        var limits = XMLOptions()
        limits.documentType = .skipped
        limits.replacesControlCharacters = true
        return try withoutActuallyEscaping(sink) { sink in
            let reader = try XMLReader(limits)
            let handler = try AppleHealthHandler(reader, name, options, sink)
            try reader.read(from: source, into: handler)
            let replaced = reader.replacedControlCharacters
            return try handler.finish(replaced: replaced.count, first: replaced.first)
        }
    }
}
