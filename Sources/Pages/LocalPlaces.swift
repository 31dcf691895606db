/// The folders of this device that pages read, which an export does not tell.
package struct LocalPlaces: Sendable {
    /// The folders, the longest path first.
    private let folders: [[UInt8]]

    /// Makes the places of the folders of some files, and of other folders.
    package init(files: [String] = [], folders: [String] = []) {
        let parents = files.compactMap { file in
            file.utf8.lastIndex(of: Self.slash).map { String(file[..<$0]) }
        }
        let known = Set(parents + folders).map { path in
            Array(path.utf8.reversed().drop { $0 == Self.slash }.reversed())
        }
        self.folders = known.filter { !["", ".", ".."].contains(String(decoding: $0, as: UTF8.self)) }.sorted {
            $0.count > $1.count
        }
    }

    private init(folders: [[UInt8]]) { self.folders = folders.sorted { $0.count > $1.count } }

    /// Returns the folders of both.
    package static func + (left: LocalPlaces, right: LocalPlaces) -> LocalPlaces {
        LocalPlaces(folders: left.folders + right.folders)
    }

    private static let slash = UInt8(ascii: "/")

    /// Tells whether a byte belongs to a word, so that no path begins or ends beside it.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...0xFF, UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns a text with the last part of each path alone, and `…` for a folder.
    ///
    /// A path is one of the known folders, also with spaces in its name, or a word that begins with a slash and has another.
    package func hidden(in text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let isStart = index == 0 || !Self.isWord(bytes[index - 1]) && bytes[index - 1] != Self.slash
            guard isStart, let end = end(of: bytes, from: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let name = bytes[end.folder..<end.path].split(separator: Self.slash).last
            result += name.map(Array.init) ?? Array("…".utf8)
            index = end.path
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the ends of the folder and of the path that begin here; nil where none does.
    private func end(of bytes: [UInt8], from start: Int) -> (folder: Int, path: Int)? {
        for folder in folders where bytes[start...].starts(with: folder) {
            let end = start + folder.count
            if end < bytes.count, bytes[end] == Self.slash { return (end, wordEnd(bytes, from: end)) }
            // A single word may be any other.
            guard folder.contains(Self.slash), end == bytes.count || !Self.isWord(bytes[end]) else { continue }
            return (end, end)
        }
        guard bytes[start] == Self.slash else { return nil }
        let end = wordEnd(bytes, from: start)
        guard bytes[(start + 1)..<end].contains(Self.slash) else { return nil }
        return (start, end)
    }

    /// Returns the end of a word of a path.
    private func wordEnd(_ bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { $0 <= 0x20 || "\"'`<>;,:()".utf8.contains($0) } ?? bytes.count
    }
}
