internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import Interchange
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What a page shows, where it goes, and whether it is opened.
struct PageOptions: ParsableArguments {
    @Flag(help: "List the stretches without an activity.")
    var gaps = false

    @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
    var output: String?

    @Flag(help: "Open the page in the browser.")
    var open = false

    func validate() throws {
        if open, output == "-" { throw ValidationError("--open needs a file") }
    }

    /// Writes a page and says where.
    ///
    /// - Throws: 3 where the page was written and could not be opened.
    func write(_ page: TimeReport, named name: String, _ confirmation: ConfirmationOption) throws {
        let target = OutputFile(output ?? name)
        try target.checkTarget()
        try confirmation.requireReplacing(target, unless: { Self.isReport(target) })
        try target.write(Array(page.html.utf8))
        guard !target.isStandardOutput else { return }
        try StandardOutput.shared.write(TerminalText.safe("Wrote \(target.path).") + "\n")
        guard open else { return }
        try StandardOutput.shared.flush()
        guard Self.open(target.path) else {
            StandardError.write("warning: there is no program that opens it; open it in a browser\n")
            throw ExitStatus.findings.exitCode
        }
    }

    /// Whether there is such a page at that path, which a new one may replace without a question.
    private static func isReport(_ output: OutputFile) -> Bool {
        let head = try? InputFile.head(of: output.path)
        return head.map { String(decoding: $0, as: UTF8.self).contains(TimeReport.mark) } ?? false
    }

    /// Opens a file with the program that the system has for it.
    ///
    /// - Returns: Whether that program took it.
    private static func open(_ path: String) -> Bool {
        #if os(macOS)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        // A name that begins with a dash is no option.
        let path = path.hasPrefix("/") ? path : "./\(path)"
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(path), nil]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process = pid_t()
        guard posix_spawnp(&process, program, nil, nil, &arguments, &environment) == 0 else { return false }
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process && status == 0
    }
}
