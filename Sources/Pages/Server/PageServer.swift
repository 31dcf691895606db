/// Answers requests at a port of 127.0.0.1, one after the other, until nobody asks any more.
///
/// One thread looks after all connections and waits for none of them: a client that sends slowly delays nobody. A
/// connection carries one request.
package struct PageServer {
    /// The limits of waiting times and of connections at once.
    package struct Limits: Sendable {
        /// The time that a request may take to arrive, and its answer to leave.
        package var request: Duration = .seconds(10)
        /// The time without a page being asked for after which the server ends.
        package var idle: Duration = .seconds(30 * 60)
        /// The most connections at once; for another one the oldest that sends nothing is ended.
        package var connections = 32

        package init() {}
    }

    /// A connection.
    private struct Connection {
        let descriptor: Int32
        var deadline: ContinuousClock.Instant
        var received: [UInt8] = []
        /// The head, once it is there, and where it ends.
        var request: HTTPRequest?
        var headEnd = 0
        var answer: ArraySlice<UInt8>?
        /// True if all is sent, and only the client's end is waited for.
        ///
        /// To close at once would take the answer from a client that still sends.
        var isDone = false
    }

    private let listener: PageListener
    private let limits: Limits
    private var service: PageService
    private var connections: [Connection] = []
    private var lastUse = ContinuousClock.now

    /// The address to open; it works once.
    package var address: String { service.address }

    package init(_ listener: PageListener, _ site: Site, limits: Limits = Limits()) {
        (self.listener, self.limits) = (listener, limits)
        service = PageService(site, port: listener.port)
    }

    /// Answers until the person ends it or nobody asks for long.
    package mutating func run() {
        defer {
            for connection in connections { SocketCalls.end(connection.descriptor) }
            listener.end()
        }
        lastUse = .now
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while !(service.isEnded && connections.isEmpty) {
            let now = ContinuousClock.now
            guard now < lastUse + limits.idle || connections.contains(where: { $0.answer != nil }) else { return }
            let ready = ready(now)
            // What has arrived is answered before a new connection ends an old one.
            for descriptor in ready where descriptor != listener.descriptor {
                if let index = connections.firstIndex(where: { $0.descriptor == descriptor }) {
                    advance(index, &buffer)
                }
            }
            if ready.contains(listener.descriptor) { accept(&buffer) }
            endLate()
        }
    }

    /// Waits for the next thing that can be done, or the next deadline.
    private func ready(_ now: ContinuousClock.Instant) -> Set<Int32> {
        var wanted = connections.map { ($0.descriptor, $0.answer != nil && !$0.isDone) }
        if !service.isEnded { wanted.append((listener.descriptor, false)) }
        let next = (connections.map(\.deadline) + [lastUse + limits.idle]).min() ?? now
        let (seconds, rest) = max(.zero, next - now).components
        let milliseconds = min(Int(seconds), 86_400) * 1_000 + Int(rest / 1_000_000_000_000_000) + 1
        return SocketCalls.wait(wanted.map { (descriptor: $0.0, writes: $0.1) }, milliseconds: milliseconds)
    }

    /// Takes the connections that wait; a request that came with one is answered at once.
    private mutating func accept(_ buffer: inout [UInt8]) {
        for _ in 0..<limits.connections {
            guard let descriptor = listener.accept() else { return }
            makeRoom()
            connections.append(Connection(descriptor: descriptor, deadline: .now + limits.request))
            advance(connections.count - 1, &buffer)
        }
    }

    /// Ends a connection where there are as many as can be: one that has its answer, else the oldest that has not sent
    /// a whole request, else the oldest.
    ///
    /// So connections that are only opened, however many, keep nobody out.
    private mutating func makeRoom() {
        guard connections.count >= limits.connections, !connections.isEmpty else { return }
        drop(connections.firstIndex(where: \.isDone) ?? connections.firstIndex { $0.answer == nil } ?? 0)
    }

    /// Ends connections whose time is over; who has not sent a whole request is told so.
    private mutating func endLate() {
        let now = ContinuousClock.now
        for index in connections.indices.reversed() where connections[index].deadline <= now {
            guard connections[index].answer == nil else {
                drop(index)
                continue
            }
            refuse(index, HTTPRequest.Fault(status: 408, message: "The request did not arrive in time."))
            connections[index].deadline = now + .seconds(1)
        }
    }

    private mutating func drop(_ index: Int) {
        SocketCalls.end(connections[index].descriptor)
        connections.remove(at: index)
    }

    private mutating func advance(_ index: Int, _ buffer: inout [UInt8]) {
        guard connections[index].answer == nil else { return send(index, &buffer) }
        switch SocketCalls.read(connections[index].descriptor, into: &buffer) {
        case .notNow: return
        case .ended: drop(index)
        case .moved(let count):
            let old = connections[index].received.count
            connections[index].received += buffer[..<count]
            receive(index, after: old)
        }
    }

    /// Looks at what has arrived of a request, and answers it once it is whole.
    private mutating func receive(_ index: Int, after old: Int) {
        do {
            if connections[index].request == nil {
                let end = HTTPRequest.headEnd(connections[index].received, from: old - 3)
                guard (end ?? connections[index].received.count) <= HTTPRequest.Limit.head else {
                    throw HTTPRequest.Fault(
                        status: 431,
                        message: "The head of a request has at most \(HTTPRequest.Limit.head) bytes."
                    )
                }
                guard let end else { return }
                connections[index].request = try HTTPRequest(head: connections[index].received[..<end])
                connections[index].headEnd = end
            }
            guard var request = connections[index].request else { return }
            let body = connections[index].received[connections[index].headEnd...]
            guard body.count >= request.length ?? 0 else { return }
            request.body = Array(body.prefix(request.length ?? 0))
            let (response, policy, isKnown) = service.answer(request)
            if isKnown { lastUse = .now }
            answer(index, response, policy)
        } catch let fault as HTTPRequest.Fault {
            refuse(index, fault)
        } catch {
            drop(index)
        }
    }

    private mutating func refuse(_ index: Int, _ fault: HTTPRequest.Fault) {
        answer(index, PageService.plain(fault.status, fault.message), PageFrame.policy)
    }

    private mutating func answer(_ index: Int, _ response: HTTPResponse, _ policy: String) {
        connections[index].answer = response.bytes(policy: policy)[...]
        connections[index].received = []
        connections[index].deadline = .now + limits.request
    }

    private mutating func send(_ index: Int, _ buffer: inout [UInt8]) {
        let descriptor = connections[index].descriptor
        guard !connections[index].isDone else {
            if case .ended = SocketCalls.read(descriptor, into: &buffer) { drop(index) }
            return
        }
        guard let answer = connections[index].answer else { return }
        switch SocketCalls.write(descriptor, answer) {
        case .notNow: return
        case .ended: drop(index)
        case .moved(let count):
            connections[index].answer = answer.dropFirst(count)
            guard count == answer.count else { return }
            connections[index].isDone = true
            connections[index].deadline = .now + .seconds(1)
            SocketCalls.endWriting(descriptor)
        }
    }
}
