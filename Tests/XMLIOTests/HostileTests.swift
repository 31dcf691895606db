import StrictJSON
import Testing
import TestSupport

@testable import XMLIO

/// Files made to make a reader open another file, an address, or all of the memory.
struct HostileTests {
    /// Each is refused for having a document type; where that is passed over, for what it would have defined.
    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a b='&x;'/>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY % p '<!ENTITY x \"y\">'> %p;]><a>&x;</a>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/a.dtd'><a>&x;</a>",
        "<!DOCTYPE a PUBLIC '-//A//B' \"http://127.0.0.1:9/a.dtd\" [ ]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x 'lol'>]><a>&x;</a>",
    ])
    func documentTypes(_ text: String) throws {
        #expect(Recorder.failure(text)?.code == .doctype)
        for step in [Int.max, 16] { #expect(Recorder.failure(text, .skipping, step: step)?.code == .entity) }
    }

    @Test func entityExpansion() throws {
        var text = "<!DOCTYPE a [<!ENTITY x0 'lol'>"
        for level in 1..<30 { text += "<!ENTITY x\(level) '\(String(repeating: "&x\(level - 1);", count: 10))'>" }
        text += "]><a>&x29;</a>"
        #expect(Recorder.failure(text, .skipping)?.code == .entity)
        let quadratic =
            "<!DOCTYPE a [<!ENTITY x '\(String(repeating: "x", count: 100_000))'>]><a>"
            + String(repeating: "&x;", count: 100_000) + "</a>"
        #expect(Recorder.failure(quadratic, .skipping)?.code == .entity)
    }

    /// A document type is passed over whatever is in it, and places behind it stay right.
    @Test(arguments: [
        "<!DOCTYPE HealthData [\n<!ELEMENT HealthData (a|b)*>\n<!ATTLIST a\n  b CDATA #REQUIRED\n<!ELEMENT broken >\n]>",
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD > PLIST\"\n\n\n \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n",
        "<!DOCTYPE a [ [x] ]] \u{B}é \n\n\n\n ]\t>",
    ])
    func malformedDocumentTypes(_ doctype: String) throws {
        var options = XMLOptions.skipping
        options.replacesControlCharacters = true
        let text = "<?xml version='1.0'?>\(doctype)<HealthData><Record/></HealthData>"
        for step in [Int.max, 16, 17] {
            let events = try Recorder.events(text, options, step: step)
            let line = 1 + doctype.count { $0 == "\n" }
            #expect(events.count == 4 && events.first?.hasPrefix("\(line):") == true, "\(events)")
        }
        #expect(Recorder.failure(text, options, step: 20) == nil)
        #expect(Recorder.failure(doctype + doctype + "<a/>", options)?.code == .syntax)
        #expect(Recorder.failure("<a/>" + doctype, options)?.code == .syntax)
        #expect(Recorder.failure(String(doctype.dropLast(3)), options)?.code == .truncated)
        options.documentTypeBytes = 10
        #expect(Recorder.failure(text, options)?.code == .size)
    }

    /// Control characters become spaces where the caller asks for it, are counted, and places stay right.
    @Test func controlCharacters() throws {
        var options = XMLOptions()
        options.replacesControlCharacters = true
        let recorder = Recorder()
        let reader = try XMLReader(options)
        try reader.read(Array("<a b='x\u{B}y\u{1F}'>\n\u{1}é\u{FFFE}<c/></a>".utf8), into: recorder)
        #expect(recorder.events == ["1:1 <a b=x y ", "'\n é   '", "2:4 <c", "</c", "</a"])
        #expect(reader.replacedControlCharacters.count == 4)
        #expect(reader.replacedControlCharacters.first?.column == 8)
    }

    /// XInclude is an element like any other.
    @Test func inclusion() throws {
        let text =
            "<a xmlns:x='http://www.w3.org/2001/XInclude'><x:include href='file:///etc/passwd' parse='text'/></a>"
        let events = try Recorder.events(text)
        #expect(events.count == 4 && !events.contains { $0.contains("root:") })
    }

    /// Neither an attribute of 10 MB nor a million of them gets to the library.
    @Test(arguments: [true, false])
    func attributes(_ isLong: Bool) throws {
        var text = "<a "
        if isLong {
            text += "b='\(String(repeating: "x", count: 10_000_000))'"
        } else {
            for index in 0..<1_000_000 { text += "a\(index)='' " }
        }
        let error = try #require(Recorder.failure(text + "/>"))
        #expect(error.code == .size && error.position?.column == 1)
    }

    @Test func names() throws {
        let name = String(repeating: "n", count: 5_000_000)
        for text in ["<\(name)/>", "<a \(name)=''/>", "<a></\(name)>", "<a>&\(name);</a>"] {
            let code = try #require(Recorder.failure(text)?.code)
            #expect([.size, .syntax, .entity].contains(code), "\(text.prefix(5)) \(code)")
        }
    }
}
