#if os(Linux)
    #if canImport(Glibc)
        internal import Glibc
    #else
        internal import Musl
    #endif

    /// Changes as the kernel of Linux tells them.
    package final class InotifyEvents: FileEvents {
        private let descriptor: Int32
        private let stop: StopSignal
        private var watches: [Int32: [WatchedFolder]] = [:]

        /// Gives nil where the kernel has no inotify left for this user.
        package init?(stop: StopSignal) {
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            self.stop = stop
            guard descriptor >= 0 else { return nil }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        package func watch(_ folders: [WatchedFolder]) -> [String: String] {
            var watched: [Int32: [WatchedFolder]] = [:]
            var failures: [String: String] = [:]
            for folder in folders {
                let watch = inotify_add_watch(descriptor, folder.path, Self.mask)
                guard watch >= 0 else {
                    // What is not there yet is watched once it is; until then its parent tells.
                    if errno != ENOENT { failures[folder.path] = Self.reason(errno) }
                    continue
                }
                watched[watch, default: []].append(folder)
            }
            for watch in watches.keys where watched[watch] == nil { inotify_rm_watch(descriptor, watch) }
            watches = watched
            return failures
        }

        package func wait(atMost duration: Duration) -> Wakeup {
            let end = ContinuousClock.now + duration
            while true {
                let left = max(.zero, end - ContinuousClock.now)
                var requests = [
                    pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                ]
                let count = poll(&requests, 2, left.pollTime)
                if requests[0].revents != 0, count > 0 { return .stopped }
                if count > 0, readEvents() { return .changed }
                if left == .zero { return .timeUp }
            }
        }

        /// Reads what is there; gives whether any of it matters.
        private func readEvents() -> Bool {
            var matters = false
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
            defer { buffer.deallocate() }
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return matters }
                var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                while let event = InotifyEvent(taking: &rest) { matters = matters || concerns(event) }
            }
        }

        private func concerns(_ event: InotifyEvent) -> Bool {
            // Events were lost: something changed.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            guard let folders = watches[event.watch] else { return false }
            if event.mask & UInt32(IN_IGNORED) != 0 { watches[event.watch] = nil }
            guard let name = event.name else { return true }
            return folders.contains { $0.concerns(name, by: event.mask) }
        }

        private static let mask =
            UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
            | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

        private static func reason(_ code: Int32) -> String {
            code == ENOSPC
                ? "the limit of inotify is reached, fs.inotify.max_user_watches" : String(cString: strerror(code))
        }
    }

    extension WatchedFolder {
        /// Tells whether an event of the file with that name matters.
        ///
        /// A database that is only opened is closed as if it had been written, so that of named files only writing counts;
        /// of others only what may be complete.
        fileprivate func concerns(_ name: String, by mask: UInt32) -> Bool {
            let kinds = names == nil ? UInt32(IN_CREATE) | UInt32(IN_CLOSE_WRITE) : UInt32(IN_MODIFY)
            return mask & (kinds | UInt32(IN_MOVED_TO)) != 0 && concerns(name)
        }
    }

    /// One of the records that the kernel writes one behind the other.
    private struct InotifyEvent {
        let watch: Int32
        let mask: UInt32
        /// The name in the folder; nil where it is the folder itself.
        let name: String?

        init?(taking bytes: inout UnsafeRawBufferPointer) {
            let head = 16
            guard bytes.count >= head else { return nil }
            watch = bytes.loadUnaligned(as: Int32.self)
            mask = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            guard bytes.count >= head + length else { return nil }
            let text = bytes[head..<head + length].prefix { $0 != 0 }
            name = text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
            bytes = UnsafeRawBufferPointer(rebasing: bytes[(head + length)...])
        }
    }
#endif
