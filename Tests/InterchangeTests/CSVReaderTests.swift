import FormatKit
import Interchange
import StrictJSON
import Testing
import TestSupport

@Suite struct CSVReaderTests {
    private func rows(_ text: String, piece: Int = .max) throws -> [[String]] {
        try all(Array(text.utf8), piece: piece).map { $0.fields.map(\.text) }
    }

    private func all(_ bytes: [UInt8], piece: Int = .max, limits: CSVLimits = CSVLimits()) throws -> [CSVRow] {
        var reader = CSVReader(JSONByteSource(bytes, piece: piece), limits: limits)
        var rows: [CSVRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private func error(_ bytes: [UInt8], limits: CSVLimits = CSVLimits()) -> String? {
        do {
            _ = try all(bytes, limits: limits)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
        ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("\u{FEFF}a,b\n", [["a", "b"]]),
        ("a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
        ("a\tb\n1\t2\n", [["a", "b"], ["1", "2"]]),
        ("sep=;\r\na,x;b\r\n", [["a,x", "b"]]),
        ("\"a,;\t\";b\n", [["a,;\t", "b"]]),
        ("a,\"say \"\"go\"\"\",\"\"\n", [["a", "say \"go\"", ""]]),
        ("a\n\"x\r\ny\"\n", [["a"], ["x\r\ny"]]),
        ("a,b\n\n\r\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,5\" pipe\n", [["a", "5\" pipe"]]),
        ("\"a\" ,b\n", [["a", "b"]]),
        ("a,b\n,\n1,\n,\n", [["a", "b"], ["1", ""]]),
        ("\"\",\n", [["", ""]]),
        ("a,\n", [["a", ""]]),
        ("漢,🏋️\n", [["漢", "🏋️"]]),
    ])
    func rowsAreRead(text: String, expected: [[String]]) throws {
        for piece in [Int.max, 1, 2, 3] { #expect(try rows(text, piece: piece) == expected) }
    }

    /// Rows count as in a spreadsheet, lines as in an editor, columns by characters.
    @Test func placesAreThoseOfTheFile() throws {
        let rows = try all(Array("a,b\r\n,\r\n\"x\ny\",漢字,z\r1,2,\"3".utf8 + [UInt8(ascii: "\"")]))
        #expect(rows.map(\.number) == [1, 3, 4])
        #expect(rows.map { $0.position?.line } == [1, 3, 5])
        #expect(rows[1].fields.map { $0.position.line } == [3, 4, 4])
        #expect(rows[1].fields.map { $0.position.column } == [1, 4, 7])
        #expect(rows[1].fields[2].position.offset == 21)
        #expect(rows[2].fields.map(\.isQuoted) == [false, false, true])
    }

    @Test func faultsSayWhere() throws {
        #expect(
            error(Array("a,b\n1,\"open\n2,3\n".utf8))
                == "2:3: error[csv.unterminated-quote]: the quote that begins this field of row 2 has no end; add it, or "
                + "double a quote inside"
        )
        #expect(error([]) == "error[text.empty]: the file is empty")
        #expect(error(Array(" \r\n\t".utf8)) == "error[text.empty]: the file holds nothing but white space")
        #expect(error(Array("a,b\n\u{0}".utf8))?.hasPrefix("2:1: error[text.nul-filled]") == true)
        #expect(error(Array("a,b\n1\u{0}2".utf8))?.hasPrefix("2:2: error[text.nul]") == true)
        #expect(error(Array("a,\"b\u{0}".utf8) + [1])?.hasPrefix("1:5: error[text.nul]") == true)
        #expect(error([UInt8](repeating: 0, count: 10))?.hasPrefix("1:1: error[text.nul-filled]") == true)
        #expect(error([0xFF, 0xFE, 0x61, 0])?.contains("text.encoding]: the file is UTF-16") == true)
        #expect(error([0x61, 0, 0x62, 0])?.contains("text.encoding]: the file is UTF-16") == true)
        #expect(error(Array("a,b\n1,".utf8) + [0xE9, 0x0A])?.hasPrefix("2:3: error[text.utf-8]") == true)
    }

    @Test func limitsHold() throws {
        var limits = CSVLimits()
        limits.fieldBytes = 10
        limits.columns = 3
        #expect(error(Array("a,bbbbbbbbbbb\n".utf8), limits: limits)?.hasPrefix("1:3: error[csv.size]") == true)
        #expect(error(Array("a,\"bbbbbbbbbbb".utf8), limits: limits)?.contains("without an end") == true)
        #expect(error(Array("1,2,3,4\n".utf8), limits: limits)?.hasPrefix("1:1: error[csv.size]") == true)
    }

    @Test func whatFollowsAQuotedFieldIsAFaultOfItsRow() throws {
        let rows = try all(Array("a,b\n\"x\"y,z\n1,2\n".utf8))
        #expect(rows.count == 3)
        #expect(rows[1].fields.map(\.text) == ["x", "z"])
        #expect(rows[1].fault?.description.hasPrefix("2:1: error[csv.quote]: row 2: \"y\" follows") == true)
        #expect(rows[2].fault == nil)
    }

    /// What is written is read back, whatever it is, in pieces of any size.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func writtenTablesAreReadBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let table = (0..<5).map { _ in
                (0..<4).map { _ in Samples.text(&generator).replacing("\u{0}", with: "") }
            }
            let bytes = try Samples.bytes { sink in
                var writer = CSVWriter(sink: sink)
                for row in table {
                    for cell in row { writer.cell(cell) }
                    try writer.endRow()
                }
                try writer.finish()
            }
            let piece = Int.random(in: 1...40, using: &generator)
            let read = try all(bytes, piece: piece)
            let texts = read.map { row in row.fields.map { FormulaGuard.unguarded($0.text) } }
            #expect(texts.map { $0.map { Array($0.utf8) } } == table.map { $0.map { Array($0.utf8) } }, "seed \(seed)")
            for cell in read.flatMap(\.fields) {
                #expect(!["=", "+", "-", "@", "＝"].contains(cell.text.unicodeScalars.first), "seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        "=1", "'=1", "''=1", "'", "''", "'a", "+", "-5", "@x", "\tx", "\rx", "\nx", "a=", "", "＝1", " =1",
    ])
    func formulasAreGuardedAndComeBack(text: String) {
        let written = FormulaGuard.guarded(text)
        #expect(FormulaGuard.unguarded(written) == text)
        #expect(!["=", "+", "-", "@", "\t", "\r", "\n"].contains(written.unicodeScalars.first))
    }

    /// Random bytes give rows or an error, and never anything else.
    @Test(arguments: 0..<20)
    func noiseIsSurvived(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array("\",;\t\r\n a\u{0}'=".utf8) + [0xC3, 0xA9, 0xFF]
        for _ in 0..<200 {
            let count = Int.random(in: 0...60, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = error(bytes)
        }
    }
}
