internal import ArgumentParser
internal import CommandSupport

extension Satchel {
    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key",
            abstract: "Make keys for encrypted backups.",
            discussion: """
                An identity opens what was encrypted for its recipient. Both are those of age: backups that are made with \
                --recipient open with --identity, and with age -d -i.
                """,
            subcommands: [New.self, Recipient.self]
        )

        struct New: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "new",
                abstract: "Make a file with a new identity, and print its recipient.",
                discussion: "Only you may read the file. Keep a copy elsewhere: without it the backups stay closed."
            )

            @OptionGroup var clock: NowOption

            @Argument(help: "The file to make.", completion: .file())
            var file: String

            func run() throws {
                let recipient = try IdentityFile.make(file, at: try clock.moment())
                try StandardOutput.shared.write("\(recipient)\n")
            }
        }

        struct Recipient: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "recipient",
                abstract: "Print the recipients of the identities in a file."
            )

            @Argument(help: "The file.", completion: .file())
            var file: String

            func run() throws {
                let recipients = try IdentityFile.recipients(of: file)
                try StandardOutput.shared.write(recipients.map { "\($0)\n" }.joined())
            }
        }
    }
}
