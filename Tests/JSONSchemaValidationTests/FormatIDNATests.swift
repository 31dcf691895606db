import JSONSchemaValidation
import Testing

@Suite struct FormatIDNATests {
    static let labels = FormatCase.vectors(
        .idnHostname,
        valid: [
            "bücher.example", "BUCHER.example", "faß.de", "βόλος.com", "日本語。jp", "xn--bcher-kva", "नेपाल", "ليبيا",
            "क्\u{200D}ष", "بي\u{200C}بي", "l\u{B7}l", "ᚠ", "\u{3042}\u{30FB}", "א1", "1.2.3",
        ],
        invalid: [
            "", "Bücher", "a\u{308}", "u\u{308}ber", "\u{308}a", "ab--ü", "ü-", "-ü", "a_ü", "ü ", "\u{200D}a",
            "a\u{200C}b", "٠۰", "א1٠", "1א", "אa", "a.1.א.1b", "☃", "ﬁ", "\u{1100}\u{1161}", "𝅘", "ab--c",
            "xn--BCHER-kvB", "xn--abc", "\u{378}", "é\u{FFFF}", "1.2.3.4",
            // Marks out of canonical order, and a vowel sign that composes with the one before it.
            "e\u{301}\u{327}", "\u{9C7}\u{9BE}", "\u{995}\u{9C7}\u{9BE}", "s\u{30C}\u{327}", "\u{161}\u{327}",
        ]
    )

    /// In form C or not, by canonical equivalence: the composed spelling and the decomposed one.
    static let compositions: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{1E69}", "s\u{323}\u{307}"), ("\u{9CB}", "\u{9C7}\u{9BE}"),
        ("\u{1B06}", "\u{1B05}\u{1B35}"), ("\u{3AC}", "\u{3B1}\u{301}"), ("\u{304C}", "\u{304B}\u{3099}"),
        ("\u{626}", "\u{64A}\u{654}"),
    ]

    @Test(arguments: labels)
    func vector(_ vector: FormatCase) {
        #expect(vector.format.accepts(vector.text) == vector.isValid)
    }

    @Test(arguments: compositions)
    func normalization(composed: String, decomposed: String) {
        // After a letter, since some of these are marks and may not begin a label.
        let letter = "\u{995}"
        let prefix = composed.unicodeScalars.first?.properties.generalCategory == .spacingMark ? letter : ""
        #expect(StringFormat.idnHostname.accepts(prefix + composed))
        #expect(!StringFormat.idnHostname.accepts(prefix + decomposed))
    }

    /// RFC 3492, section 7.1, those of its samples that are in lower case and without punctuation.
    @Test(arguments: [
        "xn--ihqwcrb4cv8a8dqg056pqjye", "xn--4dbcagdahymbxekheh6e0a7fei0b",
        "xn--i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd", "xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa",
        "xn--989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c",
        "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l",
    ])
    func punycodeSample(label: String) {
        // The Korean sample is longer than a label may be.
        #expect(StringFormat.hostname.accepts(label) == (label.utf8.count <= 63))
    }
}
