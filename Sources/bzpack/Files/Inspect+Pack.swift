internal import ArchiveIO
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack.Inspect {
    static func text(_ pack: PackInput, _ contents: [(ParseResult<BztimerFile>, BztimerFile)]) -> String {
        var lines = ["\(pack.name): .bzpack, version \(pack.manifest.format.version)"]
        if let generator = pack.manifest.generator { lines.append("written by: \(generator)") }
        lines.append("files: \(contents.count)")
        let head = lines.map { TerminalText.safe($0) + "\n" }.joined()
        return ([head] + contents.map { text($0, $1) }).joined(separator: "\n")
    }

    static func json(_ pack: PackInput, _ contents: [(ParseResult<BztimerFile>, BztimerFile)]) -> JSONValue {
        [
            "file": .string(pack.name),
            "format": "bzpack",
            "version": .number(pack.manifest.format.version),
            "generator": pack.manifest.generator.map { .string($0) } ?? .null,
            "files": .array(
                zip(pack.files, contents).map { file, content in
                    [
                        "path": .string(file.path),
                        "size": .number(file.size),
                        "sha256": .string(file.sha256),
                        "content": json(content.0, content.1),
                    ]
                }
            ),
        ]
    }
}
