/// The format and compression of an archive, found out by its content.
public struct ArchiveContainer: Sendable, Hashable, CustomStringConvertible {
    /// The formats of archives.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// A zip.
        case zip
        /// A tar, plain or compressed.
        case tar
        /// A single compressed file.
        case single
    }

    /// The compressions of a whole file.
    public enum Compression: String, Sendable, Hashable, CaseIterable {
        /// It is not, or entry by entry as in a zip.
        case none
        /// Compressions of whole files.
        case gzip, bzip2, xz, zstd
    }

    /// The format of the archive.
    public let form: Form
    /// The compression of the whole file.
    public let compression: Compression

    /// Makes a kind of archive.
    public init(form: Form, compression: Compression) {
        self.form = form
        self.compression = compression
    }

    /// The format and the compression as text: `zip`, `tar (zstd)`, `gzip`.
    public var description: String {
        switch (form, compression) {
        case (.single, _): compression.rawValue
        case (_, .none): form.rawValue
        default: "\(form.rawValue) (\(compression.rawValue))"
        }
    }
}

/// The first bytes of a file, and what they tell.
enum Magic {
    /// The bytes that are looked at: one block of a tar.
    static let length = 512

    static func isZip(_ head: some Collection<UInt8>) -> Bool {
        [[3, 4], [5, 6], [7, 8]].contains { head.starts(with: [0x50, 0x4B] + $0) }
    }

    static func compression(_ head: some Collection<UInt8>) -> ArchiveContainer.Compression {
        if head.starts(with: [0x1F, 0x8B]) { return .gzip }
        if head.starts(with: Array("BZh".utf8)), let level = head.dropFirst(3).first, (0x31...0x39).contains(level) {
            return .bzip2
        }
        if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
        let isSkippableFrame =
            head.first.map { $0 & 0xF0 == 0x50 } == true && head.dropFirst().starts(with: [0x2A, 0x4D, 0x18])
        if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) || isSkippableFrame { return .zstd }
        return .none
    }

    /// Tells whether a block is the first of a tar: its check sum is right.
    static func isTar(_ head: [UInt8]) -> Bool {
        guard head.count >= length else { return false }
        let field = head[148..<156].drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
        guard !field.isEmpty, let wanted = Int(String(decoding: field, as: UTF8.self), radix: 8) else { return false }
        let sum = head[..<length].indices.reduce(0) { $0 + ((148..<156).contains($1) ? 0x20 : Int(head[$1])) }
        return sum == wanted
    }

    /// Tells whether a block claims to be the first of a tar, but its check sum is wrong.
    static func isDamagedTar(_ head: [UInt8]) -> Bool {
        head.count >= length && head[257..<262].elementsEqual("ustar".utf8) && !isTar(head)
    }

    /// Tells whether a text could be JSON; UTF-16 counts, so that whoever parses it can name it.
    static func isPerhapsJSON(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return true }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard !text.prefix(length).contains(0) else { return false }
        let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first.map { "{[\"-0123456789tfn".utf8.contains($0) } ?? false
    }

    /// Returns the name of a format that is known but not read.
    static func foreign(_ head: some Collection<UInt8>) -> String? {
        let known: [(name: String, magic: [UInt8])] = [
            ("7-Zip", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), ("RAR", Array("Rar!".utf8)),
            ("lz4", [0x04, 0x22, 0x4D, 0x18]), ("compress (.Z)", [0x1F, 0x9D]), ("lzip", Array("LZIP".utf8)),
            ("cpio", Array("070701".utf8)), ("xar", Array("xar!".utf8)), ("ar", Array("!<arch>\n".utf8)),
            ("cabinet", Array("MSCF".utf8)), ("age encryption", Array("age-encryption.org/".utf8)),
        ]
        return known.first { head.starts(with: $0.magic) }?.name
    }
}
