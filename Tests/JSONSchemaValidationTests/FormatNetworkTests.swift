import JSONSchemaValidation
import Testing

@Suite struct FormatNetworkTests {
    static let addresses =
        FormatCase.vectors(
            .ipv4,
            valid: ["0.0.0.0", "255.255.255.255", "1.20.100.249"],
            invalid: ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1.2.3.", "1..3.4", "1.2.3.4 "]
        )
        + FormatCase.vectors(
            .ipv6,
            valid: [
                "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "ABCD::ef01",
                "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4", "1::2:1.2.3.4",
            ],
            invalid: [
                "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3", "12345::",
                "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", "::g", "fe80::1%eth0", ":1::",
                "::01.2.3.4",
            ]
        )

    static let emails =
        FormatCase.vectors(
            .email,
            valid: [
                "a@b", "a.b+c@d-e.example", "!#$%&'*+-/=?^_`{|}~@x", "\"\"@x", "\"a\\\"b@\"@x", "\"a b\"@x",
                "a@[1.2.3.4]", "a@[001.2.3.4]", "a@[IPv6:1::2]", "a@[ipv6:::1.2.3.4]", "a@[tag:x!y]",
                String(repeating: "a", count: 64) + "@x",
            ],
            invalid: [
                "", "@", "a@", "@b", "a", "a@b@c", "a.@b", ".a@b", "a..b@c", "a b@c", "a@-b", "a@b-", "a@b..c", "a@b.",
                "a@[1.2.3]", "a@[1.2.3.4", "a@[]", "a@[::1]", "a@[IPv6:1:2:3:4:5:6:7::]", "a@[IPv6:g::]", "a@[tag:]",
                "a@[tag:x[y]", "a@[-:x]x", "\"a@b", "\"a\"b@c", "\"a\\", "\"\u{1}\"@x", "é@x", "a@é",
                String(repeating: "a", count: 65) + "@x", "a@" + String(repeating: "a.", count: 126) + "b",
            ]
        )
        + FormatCase.vectors(
            .idnEmail,
            valid: ["é@é.example", "\"é ü\"@x", "a@b", "δοκιμή@παράδειγμα.δοκιμή", "a@xn--x"],
            invalid: ["é", "é@", "@é", "\"\\é\"@x", "é@É", "é@a。b", "é@é-"]
        )

    static let hostnames = FormatCase.vectors(
        .hostname,
        valid: [
            "a", "A.b-c.9d", "xn--bcher-kva.example", "XN--BCHER-KVA", "r3---sn.example", "1.2.3", "1.2.3.4a",
            String(repeating: "a", count: 63), String(repeating: "abcd.", count: 50) + "abc",
        ],
        invalid: [
            "", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "a b", "é", "1.2.3.4", "999.0.0.1",
            "xn--", "xn--a", "xn--bcher-kvb-", "xn--bcher-", "xn--99999999", "xn--9999999999999999",
            String(repeating: "a", count: 64), String(repeating: "abcd.", count: 50) + "abcd",
        ]
    )

    @Test(arguments: addresses + emails + hostnames)
    func vector(_ vector: FormatCase) {
        #expect(vector.format.accepts(vector.text) == vector.isValid)
    }
}
