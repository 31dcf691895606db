import FormatKit
import GymPulse
import StrictJSON
import Testing
import TestSupport

@testable import Interchange

/// Property lists that Python's `plistlib` wrote, and what is kept of them.
struct PropertyListTests {
    private func read(_ bytes: [UInt8], strict: Bool = false, repair: Bool = false) throws -> ParseResult<PresetFile> {
        let file = ForeignFile.read(bytes, name: "p", strict: strict, repair: repair)
        guard case .presets(let reading) = file else { throw NoPropertyList() }
        return reading
    }

    private func read(xml: String, repair: Bool = false) throws -> ParseResult<PresetFile> {
        try read(Array("<plist version='1.0'>\n<dict>\n\(xml)\n</dict></plist>".utf8), repair: repair)
    }

    private struct NoPropertyList: Error {}

    @Test(arguments: ["array-binary", "array-xml", "data-binary", "data-xml", "string-xml"])
    func files(_ name: String) throws {
        let reading = try read(Fixtures.bytes("presets/plist/\(name).plist"), strict: true)
        let presets = try #require(reading.content?.presets)
        #expect(presets.map(\.name) == ["New Timer", "Tabata é 🥊"] && presets.map(\.workSeconds) == [60, 20])
        #expect(presets.map(\.voiceEnabled) == [true, false] && reading.findingCount == 0 && reading.version == 2)
        #expect(reading.container?.otherKeys == 5)
    }

    /// The same values in every width and spelling.
    @Test func integers() throws {
        let numbers: [([UInt8], String)] = [
            ([0x10, 60], "60"), ([0x11, 0, 60], "60"), ([0x12, 0, 0, 0, 60], "60"),
            ([0x13] + BinaryPlist.number(60, 8), "60"),
            ([0x14] + BinaryPlist.number(60, 16), "60"), ([0x10, 0xFF], "255"), ([0x11, 0xFF, 0xFF], "65535"),
            ([0x13] + [UInt8](repeating: 0xFF, count: 8), "-1"),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8), "18446744073709551615"),
        ]
        for (object, expected) in numbers {
            let list = try BinaryPropertyList.read(BinaryPlist.list(key: "k", [object]).bytes, key: "k")
            guard case .number(let digits) = list.value?.kind else { throw NoPropertyList() }
            #expect(digits == expected)
        }
        for size in 1...8 {
            var list = BinaryPlist([BinaryPlist.dictionary([(1, 2)], size: size), BinaryPlist.string("k"), [0x09]])
            (list.referenceSize, list.offsetSize) = (size, size)
            guard case .bool(true) = try BinaryPropertyList.read(list.bytes, key: "k").value?.kind else {
                throw NoPropertyList()
            }
        }
    }

    @Test func reals() throws {
        let real = { (bits: UInt64) in [0x23] + BinaryPlist.number(Int(truncatingIfNeeded: bits), 8) }
        for (object, expected) in [
            (real((2.5).bitPattern), 2.5), ([0x22] + BinaryPlist.number(Int(Float(0.5).bitPattern), 4), 0.5),
            (real(Double.infinity.bitPattern), Double.infinity),
        ] {
            let list = try BinaryPropertyList.read(BinaryPlist.list(key: "k", [object]).bytes, key: "k")
            guard case .real(let number) = list.value?.kind else { throw NoPropertyList() }
            #expect(number == expected)
        }
    }

    /// What presets cannot hold is named with its key path, and left out where it has a name.
    @Test func values() throws {
        let preset = { (extra: String) in
            """
            <key>presets</key><array><dict><key>id</key><string>1</string><key>name</key><string>A</string>
            <key>getReadySeconds</key><real>10</real><key>workSeconds</key><integer> 60 </integer><key>restSeconds</key>
            <integer>60</integer><key>sets</key><integer>1</integer><key>rounds</key><integer>4</integer>
            \(extra)</dict></array>
            """
        }
        let plain = try read(xml: preset(""))
        #expect(plain.version == 1 && plain.content?.presets.first?.getReadySeconds == 10 && plain.findingCount == 0)
        let dated = try read(
            xml: preset("<key>made</key><date>2025-01-01T00:00:00Z</date><key>x</key><real>nan</real>")
        )
        #expect(dated.isValid && dated.findingCount == 2)
        #expect(
            dated.diagnostics.first?.description
                == "p:6:16: warning[plist.value]: a date, which presets cannot hold; it is left out (at /presets/0/made)"
        )
        let faulty = try read(xml: preset("<key>soundEnabled</key><integer>1</integer>"))
        let fault = try #require(faulty.diagnostics.first)
        #expect(fault.position?.line == 6 && fault.pointer?.description == "/presets/0/soundEnabled" && !faulty.isValid)
        let corrupt = preset("").replacing("<integer>4</integer>", with: "<integer>400</integer>")
        #expect(try !read(xml: corrupt).isValid)
        #expect(try read(xml: corrupt, repair: true).content?.presets.first?.rounds == 99)
    }

    @Test(arguments: [
        ("", "plist.presets"), ("<key>other</key><true/>", "plist.presets"),
        ("<key>presets</key><true/>", "plist.presets"),
        ("<key>presets</key><date>2025-01-01T00:00:00Z</date>", "plist.presets"),
        ("<key>presets</key><array><date/></array>", "plist.value"), ("<key>presets</key>", "plist.structure"),
        ("<key>presets</key><array>text</array>", "plist.structure"), ("<true/>", "plist.structure"),
        ("<key>presets</key><array><what/></array>", "plist.structure"),
        ("<key>presets</key><array><integer>1.5</integer></array>", "plist.structure"),
        ("<key>presets</key><array><real>x</real></array>", "plist.structure"),
        ("<key>presets</key><data>A</data>", "plist.structure"),
        ("<key>presets</key><data>AA=A</data>", "plist.structure"),
        ("<key>presets</key><string><b/></string>", "plist.structure"),
        ("<key>presets</key><array/><key>presets</key><array/>", "plist.duplicate-key"),
        ("<key>presets</key><array><dict><key>a</key><true/><key>a</key><true/></dict></array>", "plist.duplicate-key"),
        ("<key>presets</key><string>{</string>", "json.truncated"),
        ("<key>presets</key><data>AAAA</data>", "json.nul-filled"),
        ("<key>presets</key><string>[1]</string>", "format.other"),
        ("<key>presets</key><array><true/></array>", "format.other"),
    ])
    func xmlFaults(_ xml: String, _ code: String) throws {
        let reading = try read(xml: xml)
        #expect(!reading.isValid && reading.diagnostics.first?.code == code, "\(reading.diagnostics)")
        #expect(code == "plist.presets" || (reading.diagnostics.first?.position?.line ?? 0) >= 2)
    }

    @Test func emptyAndOtherShapes() throws {
        let empty = try read(xml: "<key>presets</key><array/>")
        #expect(empty.content?.presets.isEmpty == true && empty.diagnostics.map(\.code) == ["presets.empty"])
        #expect(try read(Array("<plist><array/></plist>".utf8)).diagnostics.first?.code == "plist.presets")
        #expect(try read(Array("<plist/>".utf8)).diagnostics.first?.code == "plist.presets")
        let message = try read(xml: "<key>a</key><true/><key>b</key><true/>").diagnostics.first?.message
        #expect(message == "the property list has no key \"presets\"; its keys are \"a\", \"b\"")
    }

    @Test func base64() {
        #expect(
            PropertyListBase64.decoded("") == [] && PropertyListBase64.decoded(" A A\n==\t") == [0]
                && PropertyListBase64.decoded("AAH/") == [0, 1, 255]
        )
        for text in ["A", "AA", "AAA", "AA=", "AAAA=", "A===", "AA==A", "AA-_"] {
            #expect(PropertyListBase64.decoded(text) == nil)
        }
    }
}
