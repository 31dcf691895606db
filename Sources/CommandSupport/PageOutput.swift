public import ArgumentParser

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The options for the file of an HTML page.
public struct PageOutput: ParsableArguments {
    /// The path of the page; nil for the name that the command gives it.
    @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
    public var output: String?

    /// Tells whether the page is opened.
    @Flag(help: "Open the page in the browser.")
    public var open = false

    /// The default: a file beside the person, not opened.
    public init() {}

    /// Refuses to open the standard output.
    ///
    /// - Throws: A usage error where both are asked for.
    public func validate() throws {
        if open, output == "-" { throw ValidationError("--open needs a file") }
    }

    /// Writes a page and says where.
    ///
    /// - Parameters:
    ///   - html: The page.
    ///   - name: The name of the file where the person gave none.
    ///   - mark: What is near the beginning of every page that may be replaced without a question.
    ///   - confirmation: Whether another file may be replaced.
    /// - Throws: 3 where the page was written and could not be opened.
    public func write(
        _ html: String,
        named name: String,
        mark: String,
        _ confirmation: ConfirmationOption
    ) throws {
        let target = OutputFile(output ?? name)
        try target.checkTarget()
        try confirmation.requireReplacing(target, unless: { Self.has(mark, target) })
        try target.write(Array(html.utf8))
        guard !target.isStandardOutput else { return }
        try StandardOutput.shared.report(TerminalText.safe("Wrote \(target.path).") + "\n")
        guard open else { return }
        try StandardOutput.shared.flush()
        guard Self.open(target.path) else {
            StandardError.write("warning: there is no program that opens it; open it in a browser\n")
            throw ExitStatus.findings.exitCode
        }
    }

    private static func has(_ mark: String, _ output: OutputFile) -> Bool {
        let head = try? InputFile.head(of: output.path)
        return head.map { String(decoding: $0, as: UTF8.self).contains(mark) } ?? false
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
