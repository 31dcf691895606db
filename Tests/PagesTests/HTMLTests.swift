import Pages
import Testing

@Suite struct HTMLTests {
    @Test func whatIsPutInBecomesText() {
        let name = #"<script>alert("1")</script> & 'x'"#
        let html: HTML = "<p title=\"\(name)\">\(name)</p>"
        #expect(!html.description.contains("<script"))
        #expect(html.description.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;"))
    }

    @Test func literalsOfAConditionAreMarkupAndTextsAreNot() {
        let (name, isShown) = ("<i>", CommandLine.argc > 0)
        let html: HTML = "\(isShown ? "<b>\(name)</b>" : "")\(isShown ? name : "<u>")"
        #expect(html.description == "<b>&lt;i&gt;</b>&lt;i&gt;")
    }

    @Test func charactersThatTurnTheDirectionAreShown() {
        let name = "a\u{202E}b\u{0}c\u{7F}"
        let html: HTML = "\(name)"
        #expect(html.description == "a\\u{202e}b\\u{0}c\\u{7f}")
    }

    @Test(
        arguments: [
            (0.0, "0"), (1.5, "1.5"), (-2.25, "-2.25"), (3.04, "3.04"), (.infinity, "0"), (.nan, "0"), (12, "12"),
        ]
    )
    func numbersAreAsSVGTakesThem(_ number: Double, _ text: String) {
        let html: HTML = "\(number)"
        #expect(html.description == text)
    }

    @Test(
        arguments: [
            ("due on Monday", "due on Friday", "due on <mark>Monday</mark>"),
            ("same", "same", "same"),
            ("a new word", "a word", "a <mark>new </mark>word"),
            ("", "something", ""),
            ("<b>", "", "<mark>&lt;b&gt;</mark>"),
        ]
    )
    func wordsThatDifferAreMarked(_ text: String, _ other: String, _ marked: String) {
        #expect(MarkedText.marked(text, against: other).description == marked)
    }

    @Test(arguments: ["plain", "a b/c?d=e&f", "ümläut", "\u{0}\r\n\u{202E}", "100%", "+~"])
    func percentCodingGoesBothWays(_ text: String) {
        let encoded = PercentCoding.encoded(text)
        #expect(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        #expect(PercentCoding.decoded(encoded) == text)
    }

    @Test(arguments: ["%", "%4", "%zz", "%ff"])
    func wrongPercentCodingIsNone(_ text: String) {
        #expect(PercentCoding.decoded(text) == nil)
    }
}
