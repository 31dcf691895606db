#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The server's place could not be had, with the system's reason.
package struct PageServerError: Error, Sendable {
    /// The message: what failed and why.
    package let message: String
}

/// A port of 127.0.0.1 that connections come in at; nobody else sees it.
package struct PageListener: Sendable {
    let descriptor: Int32
    /// The port.
    package let port: Int

    /// Takes a port.
    ///
    /// - Parameter port: The port; 0 for a free one that the system chooses.
    /// - Throws: ``PageServerError`` where it is taken or not allowed.
    package init(port: Int) throws(PageServerError) {
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let opened = socket(AF_INET, type, 0)
        guard opened >= 0 else { throw Self.fault("no connection can be made") }
        var isOpen = false
        defer { if !isOpen { close(opened) } }
        SocketCalls.prepare(opened)
        var yes: Int32 = 1
        setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(opened, $0, length) }
        }
        guard bound == 0, listen(opened, 128) == 0 else {
            throw Self.fault(port == 0 ? "no port can be had" : "port \(port) cannot be had")
        }
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(opened, $0, &length) }
        }
        guard named == 0 else { throw Self.fault("the port is not told") }
        descriptor = opened
        self.port = Int(UInt16(bigEndian: address.sin_port))
        isOpen = true
    }

    private static func fault(_ what: String) -> PageServerError {
        PageServerError(message: "\(what): \(String(cString: strerror(errno)))")
    }

    /// Takes the next connection; nil where none waits.
    func accept() -> Int32? {
        #if canImport(Glibc)
            let found = Glibc.accept(descriptor, nil, nil)
        #elseif canImport(Musl)
            let found = Musl.accept(descriptor, nil, nil)
        #else
            let found = Darwin.accept(descriptor, nil, nil)
        #endif
        guard found >= 0 else { return nil }
        SocketCalls.prepare(found)
        return found
    }

    func end() { close(descriptor) }
}

/// The calls on connections: none of them waits.
enum SocketCalls {
    /// The outcomes of reading or writing.
    enum Outcome {
        case moved(Int)
        case notNow
        case ended
    }

    /// Makes calls return at once, and keeps the descriptor from the programs that are started.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Outcome {
        let capacity = buffer.count
        return outcome(buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, capacity, 0) })
    }

    static func write(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Outcome {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        return outcome(bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) })
    }

    private static func outcome(_ count: Int) -> Outcome {
        if count > 0 { return .moved(count) }
        return count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .notNow : .ended
    }

    static func endWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    static func end(_ descriptor: Int32) { close(descriptor) }

    /// Waits until one of some descriptors can be read from or written to.
    ///
    /// - Returns: Those that can.
    static func wait(_ wanted: [(descriptor: Int32, writes: Bool)], milliseconds: Int) -> Set<Int32> {
        var requests = wanted.map { pollfd(fd: $0.descriptor, events: Int16($0.writes ? POLLOUT : POLLIN), revents: 0) }
        guard poll(&requests, nfds_t(requests.count), Int32(clamping: milliseconds)) > 0 else { return [] }
        return Set(requests.lazy.filter { $0.revents != 0 }.map(\.fd))
    }
}
