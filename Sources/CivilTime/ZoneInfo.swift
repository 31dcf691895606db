internal import FileSystem

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A time zone of the system's database, such as Europe/Berlin.
///
/// The files below `/usr/share/zoneinfo` are read, in the format of RFC 9636, so that nothing else is needed: Foundation's
/// zones come with 40 MB of ICU.
public struct ZoneInfo: Sendable {
    /// The zone's name; `GMT`, `GMT+0530` and the like for a fixed offset, `this machine` where only the rules are known.
    public let identifier: String
    private let offsets: Offsets

    private enum Offsets: Sendable {
        case fixed(Int)
        case rules(ZoneRules)
    }

    /// Finds a zone; nil where the system knows none of the name.
    ///
    /// Abbreviations that the database does not have are none: `BST` and `IST` mean several zones.
    ///
    /// - Parameter identifier: A name of the database, or `GMT+5:30` and the like.
    public init?(identifier: String) {
        if let seconds = Self.fixedOffset(identifier) {
            let (hours, minutes) = (abs(seconds) / 3600, abs(seconds) / 60 % 60)
            let name = "GMT\(seconds < 0 ? "-" : "+")\(padded(hours, 2))\(padded(minutes, 2))"
            self.init(identifier: seconds == 0 ? "GMT" : name, .fixed(seconds))
        } else if let rules = Self.rules(identifier) {
            self.init(identifier: identifier, .rules(rules))
        } else {
            return nil
        }
    }

    /// The zone of this machine; UTC where nothing tells.
    ///
    /// It is the one that `/etc/localtime` leads to, or `/etc/timezone` names. `TZ` wins over both, where it has a name. Where
    /// nothing has its name, it has the rules in `/etc/localtime`.
    public static var current: ZoneInfo {
        let file = "/etc/localtime"
        // The database may itself consist of links, so the first one has the name that the person chose.
        let paths = [link(file), Files.resolve(file)]
        let named = try? Files.read("/etc/timezone", limit: 1 << 12)
        let names = [
            variable("TZ"), paths.lazy.compactMap { $0.flatMap(zoneName) }.first,
            named.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) },
        ]
        return names.lazy.compactMap { $0.flatMap(ZoneInfo.init(identifier:)) }.first ?? ZoneInfo(file: file) ?? utc
    }

    /// Reads a zone without a name from its file; nil where that is none.
    ///
    /// Its identifier is that of no zone, so that whatever looks it up elsewhere finds none rather than another one.
    init?(file: String) {
        guard let bytes = try? Files.read(file, limit: 1 << 20), let rules = ZoneRules(bytes) else { return nil }
        self.init(identifier: "this machine", .rules(rules))
    }

    /// Coordinated universal time.
    private static let utc = ZoneInfo(identifier: "GMT", .fixed(0))

    private init(identifier: String, _ offsets: Offsets) {
        self.identifier = identifier
        self.offsets = offsets
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// True if the system has a database of time zones.
    public static var isInstalled: Bool { folders.contains(where: Files.isFolder) }

    /// Seconds by which the zone is ahead of UTC, at a moment in seconds after 1970-01-01T00:00:00Z.
    public func secondsFromUTC(at seconds: Int) -> Int {
        switch offsets {
        case .fixed(let offset): offset
        case .rules(let rules): rules.offset(at: seconds)
        }
    }

    // MARK: The database

    /// The folders in which systems keep the database.
    private static var folders: [String] {
        [variable("TZDIR")].compactMap(\.self).filter { $0.hasPrefix("/") }
            + ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"]
    }

    private static func rules(_ name: String) -> ZoneRules? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty && !part.hasPrefix(".") && !part.utf8.contains(0)
        }
        // These are no names: copies of other files, and the zones with leap seconds.
        guard isName, !["posix", "right", "localtime", "posixrules"].contains(parts[0]) else { return nil }
        for folder in folders {
            guard (try? FileStatus("\(folder)/\(name)"))?.kind == .file,
                let bytes = try? Files.read("\(folder)/\(name)", limit: 1 << 20), let rules = ZoneRules(bytes)
            else { continue }
            return rules
        }
        return nil
    }

    /// Returns the name of a zone in the path of its file.
    private static func zoneName(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard let folder = parts.lastIndex(of: "zoneinfo") else { return nil }
        return parts[(folder + 1)...].joined(separator: "/")
    }

    /// Returns the target of a link.
    private static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &target, target.count)
        return count > 0 ? String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    // MARK: Other names

    /// Returns the offset of `GMT`, `UTC`, `GMT+5`, `GMT-0530` and `UTC+05:30`, up to 18 hours; nil for other names.
    private static func fixedOffset(_ name: String) -> Int? {
        guard name.hasPrefix("GMT") || name.hasPrefix("UTC") else { return nil }
        let rest = name.utf8.dropFirst(3)
        guard let sign = rest.first else { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let mark = rest.dropFirst().firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        let digits = rest.dropFirst()
        let (hours, minutes): (Substring.UTF8View, Substring.UTF8View)
        if let mark {
            (hours, minutes) = (digits[..<mark], digits[digits.index(after: mark)...])
            guard (1...2).contains(hours.count), minutes.count == 2 else { return nil }
        } else {
            guard [1, 2, 4].contains(digits.count) else { return nil }
            (hours, minutes) = (digits.prefix(2), digits.dropFirst(2))
        }
        guard let hour = number(hours), let minute = minutes.isEmpty ? 0 : number(minutes), minute < 60,
            hour * 60 + minute <= 18 * 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hour * 3600 + minute * 60)
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(Substring(digits))
    }
}

extension LocalClock {
    /// Makes the clock of a time zone.
    public init(_ zone: ZoneInfo) { self.init { zone.secondsFromUTC(at: $0) } }
}
