import Testing

@testable import JSONSchemaValidation

@Suite("ECMARegex: Unicode properties")
struct RegexUnicodeTests {
    @Test(
        "property escapes",
        arguments: [
            RegexExample("^\\p{Letter}+$", ["Hello", "π", "漢", "ǅ", "ʰ"], not: ["123", ""]),
            RegexExample("^\\p{L}+$", ["Hello", "π"], not: ["1", "-"]),
            RegexExample("^\\p{Lu}\\p{gc=Ll}\\p{General_Category=Titlecase_Letter}$", ["Aaǅ"], not: ["aAǅ"]),
            RegexExample("^\\p{digit}+$", ["42", "৪২"], not: ["-%#", "½"]),
            RegexExample("^\\p{Nd}\\p{N}$", ["1½"], not: ["½1"]),
            RegexExample("^\\P{L}+$", ["123", "🐲"], not: ["a"]),
            RegexExample("^[\\p{Lu}\\p{Nd}_]+$", ["A_1"], not: ["a"]),
            RegexExample("^[^\\p{Lu}]+$", ["ab1é"], not: ["A", "É"]),
            RegexExample("^[\\P{Lu}]$", ["a"], not: ["A"]),
            RegexExample("^\\p{Any}\\p{ASCII}\\p{Assigned}$", ["🐲aé"], not: ["aéa"]),
            RegexExample("^\\P{Assigned}\\p{Cn}\\p{Unassigned}$", ["\u{378}\u{5FFFF}\u{10FFFF}"], not: ["abc"]),
            RegexExample("^\\p{Co}\\p{Private_Use}$", ["\u{E000}\u{10FFFD}"], not: ["ab"]),
            RegexExample("^\\p{Cs}$|^\\p{Surrogate}$", [], not: ["a", "🐲"]),
            RegexExample("^\\p{LC}$", ["a", "A", "ǅ"], not: ["漢"]),
            RegexExample("^\\p{punct}\\p{cntrl}\\p{Combining_Mark}$", ["!\t\u{301}"], not: ["abc"]),
            RegexExample("^\\p{Alphabetic}\\p{White_Space}\\p{space}\\p{Upper}$", ["a\u{85} B"], not: ["a  b"]),
            RegexExample("^\\p{ID_Start}\\p{IDC}*$", ["aé1_"], not: ["1a"]),
            RegexExample("^\\p{Emoji}\\p{Emoji_Presentation}\\p{ExtPict}$", ["1🐲©"], not: ["a🐲©"]),
            RegexExample("^\\p{RI}{2}\\p{EComp}$", ["🇩🇪#"], not: ["DE#"]),
            RegexExample("^\\p{NChar}\\p{DI}\\p{VS}$", ["\u{1FFFF}\u{E0FFF}\u{FE0F}"], not: ["abc"]),
            RegexExample("^\\p{Script=Latin}+$", ["aéﬁ"], not: ["α", "1"]),
            RegexExample("^\\p{sc=Grek}\\p{Script=Cyrillic}\\p{sc=Arab}\\p{sc=Hebr}$", ["αжبא"], not: ["abcd"]),
            RegexExample("^\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Deva}$", ["漢あア한ไअ"]),
            RegexExample("^\\p{sc=Zyyy}\\p{sc=Zinh}\\p{sc=Qaai}\\p{sc=Copt}\\p{sc=Qaac}$", ["1\u{301}\u{301}ⲀⲀ"]),
            RegexExample("^\\p{scx=Deva}$", ["अ", "\u{964}"], not: ["a"]),
            RegexExample("^\\p{sc=Deva}$", ["अ"], not: ["\u{964}"]),
            RegexExample("^\\p{scx=Common}$", ["1"], not: ["\u{964}", "a"]),
            RegexExample("^\\p{sc=Zzzz}$", ["\u{378}", "\u{E000}"], not: ["a", "1"]),
        ]
    )
    func properties(_ example: RegexExample) throws { try example.check() }

    @Test("every category has members and they do not overlap")
    func categories() throws {
        let names = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn"
        var total = 0
        for name in names.split(separator: " ") {
            let set = try #require(UnicodeProperty.generalCategory(String(name)), "\(name)")
            total += set.ranges.reduce(0) { $0 + $1.count }
        }
        #expect(total == 0x110000)
        #expect(UnicodeProperty.set(named: "Assigned") == UnicodeProperty.generalCategory("Cn")?.inverted)
    }

    @Test(
        "a set agrees with the property that it is made of",
        arguments: ["Alphabetic", "Math", "Default_Ignorable_Code_Point"]
    )
    func scanned(_ name: String) throws {
        let set = try #require(UnicodeProperty.set(named: name))
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let expected =
                switch name {
                case "Alphabetic": properties.isAlphabetic
                case "Math": properties.isMath
                default: properties.isDefaultIgnorableCodePoint
                }
            if set.contains(value) != expected { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test("set operations")
    func sets() {
        let set = ScalarSet([5...9, 1...3, 4...4, 20...20, 8...12])
        #expect(set.ranges == [1...12, 20...20])
        #expect(set.inverted.ranges == [0...0, 13...19, 21...0x10FFFF])
        #expect(set.inverted.inverted == set)
        #expect(ScalarSet.all.inverted.ranges.isEmpty)
        #expect(set.subtracting(ScalarSet([2...5])).ranges == [1...1, 6...12, 20...20])
        #expect(!ScalarSet([]).contains(0))
        #expect(ScalarSet([0x3F...0x40, 0x7F...0x80]).contains(0x40))
    }
}
