import FormatKit
import GymPulse
import StrictJSON
import Testing
import TestSupport

@testable import Interchange

/// Binary property lists that were made to lead a reader astray.
struct HostilePropertyListTests {
    private func failure(_ bytes: [UInt8]) -> PropertyListError.Code? {
        do throws(PropertyListError) {
            _ = try BinaryPropertyList.read(bytes, key: "k")
            return nil
        } catch {
            return error.code
        }
    }

    private func failure(of objects: [UInt8]...) -> PropertyListError.Code? {
        failure(BinaryPlist.list(key: "k", objects).bytes)
    }

    @Test func cycles() {
        #expect(failure(of: BinaryPlist.array([2])) == .cycle)
        #expect(failure(of: BinaryPlist.array([3]), BinaryPlist.dictionary([(1, 2)])) == .cycle)
        #expect(failure(of: BinaryPlist.array([0])) == .cycle)
    }

    /// Objects that are shared, each level twice as often: 2^100 values.
    @Test func sharedObjects() {
        let levels = (0..<100).map { BinaryPlist.array([$0 + 3, $0 + 3]) }
        #expect(failure(BinaryPlist.list(key: "k", levels + [[0x09]]).bytes) == .limit)
        let many = BinaryPlist.array([Int](repeating: 3, count: 300_000))
        #expect(failure(of: many, [0x09]) == .limit)
        let long = BinaryPlist.string(String(repeating: "x", count: 300_000))
        #expect(failure(of: BinaryPlist.array([Int](repeating: 3, count: 1000)), long) == .limit)
        #expect(failure(of: BinaryPlist.array([Int](repeating: 3, count: 1000)), [0x09]) == nil)
    }

    @Test func depth() {
        func nested(_ count: Int) -> PropertyListError.Code? {
            var list = BinaryPlist.list(key: "k", (0..<count).map { BinaryPlist.array([$0 + 3], size: 2) } + [[0x09]])
            list.objects[0] = BinaryPlist.dictionary([(1, 2)], size: 2)
            list.referenceSize = 2
            return failure(list.bytes)
        }
        #expect(nested(126) == nil && nested(127) == .limit && nested(300) == .limit && nested(60_000) == .limit)
    }

    @Test func sizesThatLie() {
        let huge = [0x13] + BinaryPlist.number(.max, 8)
        for kind in [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] as [UInt8] {
            #expect(failure(of: [kind] + huge) == .structure)
            #expect(failure(of: [kind] + [0x13] + [UInt8](repeating: 0xFF, count: 8)) == .structure)
            #expect(failure(of: [kind, 0x14]) == .structure && failure(of: [kind]) == .structure)
            #expect(failure(of: [kind - 5, 1, 2]) == .structure)
        }
        for object in [[0x13, 1], [0x14, 1], [0x15], [0x23, 0], [0x22], [0x70], [0xE0], [0xF0], [0x01]] as [[UInt8]] {
            #expect(failure(of: object) == .structure, "\(object)")
        }
    }

    @Test func references() {
        #expect(failure(of: BinaryPlist.array([9])) == .structure)
        #expect(failure(of: BinaryPlist.dictionary([(9, 2)])) == .structure)
        #expect(failure(of: BinaryPlist.dictionary([(3, 3)]), [0x09]) == .structure)
        var list = BinaryPlist.list(key: "k", [[0x09]])
        for place in [0, 7, 60_000] {
            list.offsets = [8, 11, place]
            #expect(failure(list.bytes) == .structure)
        }
    }

    @Test func texts() {
        #expect(failure(of: [0x51, 0xE9]) == .text)
        #expect(failure(of: [0x61, 0xD8, 0x00]) == .text && failure(of: [0x62, 0xDC, 0x00, 0xD8, 0x00]) == .text)
        #expect(failure(of: [0x62, 0xD8, 0x3E, 0xDD, 0x4A]) == nil)
        #expect(
            failure(of: BinaryPlist.dictionary([(3, 4), (3, 4)]), BinaryPlist.string("a"), [0x09]) == .duplicateKey
        )
    }

    @Test func trailers() {
        let whole = BinaryPlist.list(key: "k", [[0x09]])
        #expect(failure(whole.bytes) == nil)
        for count in 0..<whole.bytes.count { #expect(failure(Array(whole.bytes.prefix(count))) != nil, "\(count)") }
        for (place, values) in [
            (6, [0, 9, 255]), (7, [0, 9, 255]), (8, [255]), (15, [0, 200]), (16, [255]), (23, [3]), (24, [1, 255]),
        ] {
            for value in values {
                var bytes = whole.bytes
                bytes[bytes.count - 32 + place] = UInt8(value)
                #expect(failure(bytes) == .truncated, "\(place) \(value)")
            }
        }
        var list = whole
        list.top = 1
        #expect(failure(list.bytes) == .presets)
        #expect(failure(Array("bplist15".utf8) + whole.bytes.dropFirst(8)) == .structure)
    }

    /// Whatever bytes are changed, the reader ends, with an error or without.
    @Test(arguments: [1, 2, 3])
    func damage(_ seed: UInt64) throws {
        print("HostilePropertyListTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let whole = try Fixtures.bytes("presets/plist/array-binary.plist")
        for _ in 0..<1000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard case .presets(let reading) = ForeignFile.read(bytes), bytes.starts(with: Array("bplist".utf8)) else {
                continue
            }
            #expect(reading.isValid || !reading.diagnostics.isEmpty)
        }
    }
}
