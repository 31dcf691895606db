import Dispatch

/// Runs two functions at the same time and gives what both gave.
package func concurrently<First, Second>(_ first: @Sendable () -> First, _ second: @Sendable () -> Second) -> (
    First, Second
) {
    // Each is written by one of the two and read after both.
    nonisolated(unsafe) var one: First?
    nonisolated(unsafe) var other: Second?
    withoutActuallyEscaping(first) { first in
        withoutActuallyEscaping(second) { second in
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { one = first() } else { other = second() }
            }
        }
    }
    return (one ?? first(), other ?? second())
}
