internal import FileSystem
internal import SystemPackage

/// A file that a command reads, or the standard input where it is named `-`.
public struct InputFile: Sendable {
    /// The name as the person gave it, `<stdin>` for `-`.
    public let name: String
    /// What was read.
    public let bytes: [UInt8]

    /// The most bytes of a text that is kept whole: 512 MiB, several times what ten years of any app come to.
    public static let largest = 1 << 29

    /// Reads a whole file, or the standard input for `-`.
    ///
    /// - Throws: 65 where the file is larger than `limit` or has a hole; 66 where it is missing, a folder or not readable;
    ///   74 where reading fails half-way.
    public init(reading path: String, limit: Int = largest) throws(CommandFailure) {
        name = path == "-" ? "<stdin>" : path
        do throws(FileError) {
            bytes =
                path == "-"
                ? try OpenFile.readAll(from: .standardInput, name: name, limit: limit, expected: 1 << 16)
                : try Files.read(path, limit: limit)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The first 512 bytes of an ordinary file, by which archives are known; nothing of what is no ordinary file.
    ///
    /// - Throws: What reading it throws.
    public static func head(of path: String) throws(CommandFailure) -> [UInt8] {
        do throws(FileError) {
            return try Files.openInput(path).head(512)
        } catch {
            throw CommandFailure(error)
        }
    }
}
