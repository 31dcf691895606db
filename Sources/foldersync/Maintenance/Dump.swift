internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import StrictJSON

extension FolderSyncTool {
    struct Dump: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dump",
            abstract:
                "Write all that is known of a store's records, conflicts and history of writers included, as JSON lines.",
            discussion:
                "Devices that have seen the same changes write the same bytes: docs/sync.md, section 8, has the format."
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var format: FormatOption

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output: String

        func run() throws {
            guard output != "-" || format.format == .text else {
                throw CommandFailure(.usage, Messages.reportNeedsFile)
            }
            let registry = try options.config.file().read()
            let target = try options.only()
            let environment = try ThisDevice.environment(registry)
            let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
            let file = OutputFile(output)
            guard !file.isStandardOutput else {
                return try replica.dump { try StandardOutput.shared.write($0) }
            }
            try file.check()
            try confirmation.requireReplacing(file)
            let pending = try PendingFile(in: file.folder, for: file.path)
            var size = 0
            try replica.dump { bytes in
                try pending.write(bytes)
                size += bytes.count
            }
            try pending.commit(as: file)
            var json = target.json
            json["output"] = .string(output)
            json["bytes"] = .number(size)
            try format.print(TerminalText.safe(Messages.dumped(output, size)) + "\n", .object(json))
        }
    }
}
