#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the work as often as the options say and prints the seconds of each run.
///
/// A result is released before the next run starts, outside the measured time, as in every other contender.
public func measure<Result>(_ options: Options, _ work: () throws -> Result) throws {
    withExtendedLifetime(try work()) {}
    switch options.rounds {
    case .once:
        return
    case .fixed(let count):
        let samples = try (0..<count).map { _ in String(try seconds(of: work)) }
        print("{\"mode\":\"\(options.mode)\",\"seconds\":[\(samples.joined(separator: ","))]}")
    case .prompted:
        show("ready")
        while readLine() != nil { show(String(try seconds(of: work))) }
    }
}

private func seconds<Result>(of work: () throws -> Result) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try work()
    let elapsed = clock.now - start
    return withExtendedLifetime(result) { elapsed / .seconds(1) }
}

private func show(_ line: String) {
    print(line)
    fflush(nil)
}

/// The bytes of a file.
public func readFile(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw BenchError("cannot open \(path)") }
    defer { fclose(file) }
    guard fseek(file, 0, SEEK_END) == 0 else { throw BenchError("cannot seek in \(path)") }
    let size = ftell(file)
    rewind(file)
    guard size >= 0 else { throw BenchError("cannot tell the size of \(path)") }
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = fread(buffer.baseAddress, 1, size, file)
    }
    guard bytes.count == size else { throw BenchError("cannot read \(path)") }
    return bytes
}

/// Runs a contender; an error ends the process with its message on standard error.
public func runContender(_ body: () throws -> Void) {
    do {
        try body()
    } catch {
        let message = Array("error: \(error)\n".utf8)
        _ = message.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }
}
