internal import AgeFile

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Keeps keys out of core dumps.
enum KeyProtection {
    /// Keeps this process from leaving a core dump, which would hold its keys.
    static func preventCoreDumps() {
        // With a limit of one byte Linux writes none, also where a program takes them; with 0 that program gets it.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        #if canImport(Glibc)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            _ = setrlimit(RLIMIT_CORE, &limit)
        #endif
    }
}

/// The terminal at which a person types a passphrase that is not shown.
final class PassphrasePrompt {
    private let descriptor: Int32

    /// Opens the terminal of this process; nil where nobody looks at it.
    init?() {
        guard StandardError.isTerminal else { return nil }
        descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        KeyProtection.preventCoreDumps()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes a line.
    func tell(_ text: String) { _ = Descriptor.writeAll(Array("\(text)\n".utf8), to: descriptor) }

    /// Asks for a passphrase.
    ///
    /// - Throws: 64 where nothing is typed.
    func ask(_ question: String) throws(CommandFailure) -> AgePassphrase {
        let line = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer {
            wipe(line)
            line.deallocate()
        }
        let typed = UnsafeRawBufferPointer(rebasing: line[..<readLine(question, into: line)])
        _ = Descriptor.writeAll([UInt8(ascii: "\n")], to: descriptor)
        do throws(AgeError) {
            return try AgePassphrase(typed)
        } catch {
            throw CommandFailure(.usage, "no passphrase was typed; nothing was changed")
        }
    }

    /// Reads a line without showing it; gives its length.
    private func readLine(_ question: String, into line: UnsafeMutableRawBufferPointer) -> Int {
        let interrupt = UInt8(3)
        var usual = termios()
        tcgetattr(descriptor, &usual)
        var silent = usual
        // Control-C ends the line instead of the process, which would leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        silent.c_lflag |= tcflag_t(ICANON)
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        tcsetattr(descriptor, TCSADRAIN, &silent)
        // Turn the echo off before the question: a person may type at once.
        _ = Descriptor.writeAll(Array(TerminalText.safe(question).utf8), to: descriptor)
        var count = 0
        while count < line.count, line[..<count].last != UInt8(ascii: "\n"), line[..<count].last != interrupt {
            let more = read(descriptor, line.baseAddress?.advanced(by: count), line.count - count)
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            count += more
        }
        tcsetattr(descriptor, TCSADRAIN, &usual)
        if line[..<count].last == interrupt {
            wipe(line)
            _ = Descriptor.writeAll([UInt8(ascii: "\n")], to: descriptor)
            // A shell has the programs that it does not wait for ignore it.
            signal(SIGINT, SIG_DFL)
            raise(SIGINT)
            return 0
        }
        if line[..<count].last == UInt8(ascii: "\n") { count -= 1 }
        return count
    }
}
