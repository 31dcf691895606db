internal import ArchiveIO
internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack {
    struct Pack: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pack",
            abstract: "Put .bztimer files into one .bzpack.",
            discussion: """
                The files are checked, numbered in the order given, and packed as they are with a manifest of their sizes and \
                SHA-256. The same files in the same order give the same bytes. A file that is there already is replaced only with \
                consent, unless it is the same pack. Ends with 3 where there are warnings, with 65 or 66 where a file cannot \
                be used and nothing was written.
                """
        )

        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var encryption: EncryptionOptions

        @Option(
            name: .shortAndLong,
            help: "The .bzpack to write; - is the standard output.",
            completion: .file(extensions: ["bzpack"])
        )
        var output: String

        @Argument(help: "The files; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var files: [String]

        /// A pack has 10,000 entries at most, of which one is the manifest.
        static let mostFiles = 9_999

        func run() throws {
            try InputPaths.check(files)
            guard files.count <= Self.mostFiles else {
                throw CommandFailure(.usage, Messages.tooManyFiles(files.count, Self.mostFiles))
            }
            let (readings, status) = try read()
            let packed = try Self.pack(readings.compactMap { $0.document?.bytes })
            let target = OutputFile(output)
            let encryption = try encryption.encryption(for: target)
            try confirmation.requireReplacing(target, unless: { Self.holds(target, packed) })
            try target.write(encryption?.encrypt(packed) ?? packed)
            if !target.isStandardOutput {
                let sessions = readings.reduce(0) { $0 + ($1.content?.sessions.count ?? 0) }
                let content = "\(Words.count(readings.count, "file")) (\(Words.count(sessions, "session")))"
                let form = encryption == nil ? "" : ", encrypted"
                try StandardOutput.shared.report(TerminalText.safe("Packed \(content) into \(output)\(form).") + "\n")
            }
            if status != .success { throw status.exitCode }
        }

        /// Reads all files and returns the most severe of their states; throws after the findings of all of them.
        private func read() throws(CommandFailure) -> (readings: [ParseResult<BztimerFile>], status: ExitStatus) {
            var readings: [ParseResult<BztimerFile>] = []
            var reports: [FileReport] = []
            var size = 0
            for path in files {
                let (report, reading) = BztimerInput.read(path)
                StandardError.write(report.text)
                reports.append(report)
                size += reading?.document?.bytes.count ?? 0
                guard size <= PackInput.limits.totalBytes else {
                    let most = PackInput.limits.totalBytes
                    throw CommandFailure(.usage, Messages.tooLarge(most))
                }
                if let reading, reading.isValid { readings.append(reading) }
            }
            guard readings.count == files.count else { throw CommandFailure(reports.worst, Messages.nothingPacked) }
            return (readings, reports.worst)
        }

        /// Returns the bytes of a pack, opened again and compared with its manifest.
        private static func pack(_ contents: [[UInt8]]) throws -> [UInt8] {
            let files = contents.enumerated().map { BackupFile(name($0), content: .bytes($1)) }
            let packed = try BackupArchive.bytes(
                files,
                manifest: BackupManifest(format: .bzpack, generator: "bzpack \(SatchelVersion.current)"),
                packing: .zip
            )
            let found = try BackupArchive(.bytes(packed), as: [.bzpack], limits: PackInput.limits)
            guard found.manifest.files.count == contents.count else {
                throw CommandFailure(.internalError, Messages.packDiffers)
            }
            return packed
        }

        /// Tells whether there is a file with those bytes already, so that writing it changes nothing.
        private static func holds(_ output: OutputFile, _ bytes: [UInt8]) -> Bool {
            (try? InputFile(reading: output.path, limit: bytes.count, asks: false))?.bytes == bytes
        }

        /// Returns the name of the file with that index: `0001.bztimer`.
        private static func name(_ index: Int) -> String {
            let digits = String(index + 1)
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ".bztimer"
        }
    }
}
