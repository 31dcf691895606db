internal import StrictJSON

/// A format that time logs come in or go out in, beside JSON.
///
/// The raw value names the kind of a source where identifiers are made of content, and never changes.
public enum InterchangeFormat: String, Sendable, Hashable, CaseIterable {
    /// The activities of a tracker as CSV: ``TrackerCSV``.
    case trackerCSV = "tracker-csv"
    /// A tracker export as XML: ``TrackerXML``.
    case trackerXML = "tracker-xml"
    /// A calendar: ``TrackerCalendar``.
    case calendar
    /// A report of Toggl: ``TimeEntryTable``.
    case toggl
    /// A report of Clockify: ``TimeEntryTable``.
    case clockify
    /// A report of Kimai: ``TimeEntryTable``.
    case kimai
    /// A report of Harvest: ``TimeEntryTable``.
    case harvest
    /// The `export.xml` of Apple Health: ``AppleHealth``.
    case appleHealth = "apple-health"
    /// A table of the Study Timer: ``StudyTable``.
    case study

    /// Tells what a text is by how it begins.
    ///
    /// An archive, such as the `export.zip` of Apple Health, is told by `ArchiveIO`.
    ///
    /// - Parameter head: The first bytes; 64 KB are enough for the longest heading that is known.
    /// - Returns: The format, or nil where the text is none of these.
    public static func detect(_ head: [UInt8]) -> InterchangeFormat? {
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        let start = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        if start.first == UInt8(ascii: "<") { return markup(head) }
        // Also of a component without a calendar around it, and of a card, of which the calendar's reader says what is wrong.
        if String(decoding: start.prefix(7), as: UTF8.self).uppercased() == "BEGIN:V" { return .calendar }
        var limits = CSVLimits()
        limits.fieldBytes = 1 << 12
        var reader = CSVReader(JSONByteSource(head), limits: limits)
        guard let row = try? reader.next(), let heading = try? CSVHeading(row) else { return nil }
        if TrackerCSV.fits(heading) { return .trackerCSV }
        if StudyTable(heading) != nil { return .study }
        return (try? EntryColumns(heading))?.format
    }

    private static func markup(_ head: [UInt8]) -> InterchangeFormat? {
        if head.withUnsafeBytes({ AppleHealth.isExport($0) }) { return .appleHealth }
        return String(decoding: head.prefix(1 << 16), as: UTF8.self).contains("<\(TrackerXML.root)") ? .trackerXML : nil
    }
}
