internal import Dispatch
internal import Synchronization

/// A value that another thread computes while its caller does something else.
///
/// The body gets all that it needs, and touches no file and no database: one thread reads and writes all of them.
final class Ahead<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    // A queue of its own gets a thread at once, however many others wait.
    private let queue = DispatchQueue(label: "foldersync.ahead")

    /// Begins to compute.
    init(_ body: @escaping @Sendable () -> Value) {
        queue.async {
            let value = body()
            self.result.withLock { $0 = value }
        }
    }

    /// Waits for the value, and returns it once.
    func take() -> Value? {
        queue.sync { result.withLock { $0.take() } }
    }
}
