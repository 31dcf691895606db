package import ArgumentParser

/// The ways in which a program ends, by exit code.
///
/// The numbers are those of sysexits where it has one; `docs/exit-codes.md` is the table for people.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Everything that was asked for is done.
    case success = 0
    /// Done, and there is something to look at: warnings, remapped categories, skipped input.
    case findings = 3
    /// Other devices' changes were taken, but the shared folder takes nothing: what this one has to say is kept.
    case unpublished = 4
    /// Stopped before a mass change, which a person has to decide about.
    case massChange = 5
    /// The command line is wrong, or the command would have to ask and there is no terminal (`EX_USAGE`).
    case usage = 64
    /// A file or the store holds data that breaks its format's rules (`EX_DATAERR`).
    case badData = 65
    /// An input file is missing or cannot be read (`EX_NOINPUT`).
    case noInput = 66
    /// A fault of the program itself (`EX_SOFTWARE`).
    case internalError = 70
    /// A file or folder cannot be created (`EX_CANTCREAT`).
    case cannotCreate = 73
    /// Reading or writing failed half-way (`EX_IOERR`).
    case inputOutput = 74
    /// Not now: a folder is not there or empty, or another program is at work (`EX_TEMPFAIL`).
    case notNow = 75
    /// The plan of the store does not allow it: it needs Pro (`EX_NOPERM`).
    case needsPro = 77

    /// A passphrase or a key is missing or wrong; the code is that of ``needsPro`` (`EX_NOPERM`).
    package static let noKey = ExitStatus.needsPro

    /// The code in the form that ends a command of ArgumentParser without a further message.
    package var exitCode: ExitCode { ExitCode(rawValue) }

    /// Ends the command with this code, unless it is that of success.
    ///
    /// - Throws: The exit code.
    package func finish() throws { if self != .success { throw exitCode } }
}
