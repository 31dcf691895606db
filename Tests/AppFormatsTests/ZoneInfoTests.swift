@testable import CivilTime
import Foundation
import Testing

@Suite("The system's time zones", .enabled(if: ZoneInfo.isInstalled, "there is no tzdata"))
struct ZoneInfoTests {
    private static let zones = [
        "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Los_Angeles",
        "America/St_Johns",
        "America/Sao_Paulo", "America/Santiago", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Asia/Jerusalem",
        "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Africa/Cairo", "Etc/GMT+5",
    ]

    @Test("Offsets are those of Foundation, far ahead and north and south of the equator", arguments: zones)
    func offsets(_ name: String) throws {
        let zone = try #require(ZoneInfo(identifier: name))
        #expect(zone.identifier == name)
        let other = try #require(TimeZone(identifier: name))
        // Old rules do not change any more, and those of the next centuries are the present ones. Between them the two
        // databases may be of different years.
        for moments in [0..<1_500_000_000, 4_200_000_000..<5_000_000_000] {
            for moment in stride(from: moments.lowerBound, to: moments.upperBound, by: 400_009) {
                let expected = other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
                #expect(zone.secondsFromUTC(at: moment) == expected, "\(name) at \(moment)")
            }
        }
    }

    @Test("Summer begins and ends in the very second")
    func changes() throws {
        let clock = LocalClock(try #require(ZoneInfo(identifier: "Europe/Berlin")))
        let winter = Timestamp(seconds: 1_774_745_999)
        #expect(clock.text(of: winter) == "2026-03-29T01:59:59+01:00")
        #expect(clock.text(of: winter.adding(seconds: 1)) == "2026-03-29T03:00:00+02:00")
        let summer = Timestamp(seconds: 4_128_627_599)
        #expect(clock.text(of: summer) == "2100-10-31T02:59:59+02:00")
        #expect(clock.text(of: summer.adding(seconds: 1)) == "2100-10-31T02:00:00+01:00")
        // Before there was a zone, each place had its own time.
        #expect(clock.text(of: Timestamp(seconds: -3_000_000_000)).hasSuffix("+00:53"))
    }

    @Test("Fixed offsets, and a name of three letters")
    func otherNames() throws {
        let offsets = [
            "GMT": 0, "UTC": 0, "GMT+8": 28800, "GMT-8": -28800, "UTC+01:00": 3600, "GMT+0830": 30600,
            "GMT+5:30": 19800,
            "GMT-0": 0, "GMT+18": 64800, "GMT+18:00": 64800,
        ]
        for (name, offset) in offsets {
            #expect(ZoneInfo(identifier: name)?.secondsFromUTC(at: 0) == offset, "\(name)")
        }
        #expect(ZoneInfo(identifier: "UTC")?.identifier == "GMT")
        #expect(ZoneInfo(identifier: "UTC-5:30")?.identifier == "GMT-0530")
        #expect(ZoneInfo(identifier: "EST")?.secondsFromUTC(at: 1_600_000_000) == -18000)
    }

    @Test(
        "What is no name of a zone is none",
        arguments: [
            "", "Europe", "Europe/", "/usr/share/zoneinfo/Europe/Berlin", "../zoneinfo/Europe/Berlin",
            "Europe/./Berlin",
            "posix/Europe/Berlin", "right/Europe/Berlin", "localtime", "zone.tab", "tzdata.zi", "CET-1CEST", "GMT+19",
            "BST", "AST", "IST", "CST", "PST", "EDT",
            "GMT+18:30", "GMT+1:5", "GMT+123", "GMT++1", "UTC0", "Europe/Berlin\u{0}", " Europe/Berlin", "Nowhere/Land",
        ]
    )
    func unknown(_ name: String) { #expect(ZoneInfo(identifier: name) == nil) }

    @Test("This machine has a zone, whose name finds it again unless it has none")
    func current() {
        let name = ZoneInfo.current.identifier
        #expect(name == "this machine" || ZoneInfo(identifier: name) != nil)
    }

    @Test(
        "A file alone has the zone's rules, and gives it the name of no other",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"))
    )
    func unnamed() throws {
        let zone = try #require(ZoneInfo(file: "/usr/share/zoneinfo/Europe/Berlin"))
        let named = try #require(ZoneInfo(identifier: "Europe/Berlin"))
        for moment in [0, 1_700_000_000, 1_720_000_000, 4_128_627_599] {
            #expect(zone.secondsFromUTC(at: moment) == named.secondsFromUTC(at: moment))
        }
        #expect(zone.identifier == "this machine" && ZoneInfo(identifier: zone.identifier) == nil)
        #expect(ZoneInfo(file: "/usr/share/zoneinfo/none") == nil && ZoneInfo(file: "/usr/share/zoneinfo") == nil)
    }
}
