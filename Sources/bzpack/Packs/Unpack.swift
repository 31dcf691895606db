internal import ArchiveIO
internal import ArgumentParser
internal import CommandSupport

extension Bzpack {
    struct Unpack: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unpack",
            abstract: "Take the .bztimer files out of a .bzpack.",
            discussion: """
                The archive and its manifest are checked before anything is written; the files are written as they are in it. \
                The folder is made where there is none. Files that are there already are replaced only with consent.
                """
        )

        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var keys: DecryptionOptions

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The folder to write into.", valueName: "folder"),
            completion: .directory
        )
        var output: String?

        @Flag(help: "List what the pack holds, and write nothing.")
        var list = false

        @Argument(help: "The .bzpack; - is the standard input.", completion: .file(extensions: ["bzpack", "zip"]))
        var file: String

        func validate() throws {
            guard list == (output != nil) else { return }
            throw ValidationError(Messages.folderOrList)
        }

        func run() throws {
            let pack = try PackInput.require(file)
            guard let output else { return try StandardOutput.shared.write(Self.table(pack)) }
            let folder = output.hasSuffix("/") ? output : output + "/"
            let targets = pack.files.map { (file: $0, output: OutputFile(folder + $0.path)) }
            for target in targets { try target.output.check() }
            let present = targets.map(\.output).filter(\.exists)
            if let first = present.first {
                let more = present.count > 1 ? " and \(present.count - 1) more" : ""
                try confirmation.require(
                    "Replace \(first.path)\(more), which \(more.isEmpty ? "is" : "are") there already?"
                )
            }
            try FolderListing.make(output)
            for target in targets { try target.output.write(pack.bytes(of: target.file)) }
            if targets.isEmpty { StandardError.write(pack.emptyReport.text) }
            let text = "Unpacked \(Words.count(targets.count, "file")) into \(output)."
            try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
            if targets.isEmpty { throw ExitStatus.findings.exitCode }
        }

        static func table(_ pack: PackInput) -> String {
            var table = TextTable([.left("FILE"), .right("BYTES"), .fixed("SHA-256")])
            for file in pack.files { table.add([file.path, "\(file.size)", file.sha256]) }
            return table.render()
        }
    }
}
