// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Lines on their way from the drain to one client that watches.
///
/// The drain puts them here, and the event loop takes them when the client has taken those before. So a client that does not
/// read costs the drain nothing but this much memory, and is let go of when that is full.
public final class WatchSubscription: Sendable {
    /// The most bytes that wait: 1 MiB.
    static let mostBytes = 1 << 20
    /// What is said to who reads too slowly.
    static let overflow =
        "\(mostBytes) bytes were waiting to be read; watch again, with a narrower filter or a faster reader"

    /// What is guarded by the lock.
    private struct State {
        /// The lines that wait to be sent; each is whole.
        var lines: [UInt8] = []
        /// Whether the loop was told that there are some.
        var isTold = false
        /// Whether a line found no room; none is taken after it.
        var isFull = false
    }

    /// The filter that says what the client wants to hear.
    let filter: WatchFilter
    /// What waits to be sent, guarded by the lock.
    private let state = Mutex(State())
    /// Tells the loop that there is something to take, once until it is taken.
    private let tell: @Sendable () -> Void

    /// Nothing to tell yet.
    ///
    /// - Parameter tell: called from the drain when lines wait, or found no room.
    init(_ filter: WatchFilter, tell: @escaping @Sendable () -> Void) {
        self.filter = filter
        self.tell = tell
    }

    /// Adds a line, without its ending.
    func add(_ line: [UInt8]) {
        let isNews = state.withLock { state in
            guard !state.isFull else { return false }
            if state.lines.count + line.count < Self.mostBytes {
                state.lines += line
                state.lines.append(UInt8(ascii: "\n"))
            } else {
                state.isFull = true
            }
            defer { state.isTold = true }
            return !state.isTold || state.isFull
        }
        if isNews { tell() }
    }

    /// Takes the lines; `isFull` when more would have come.
    func take() -> (lines: [UInt8], isFull: Bool) {
        state.withLock { state in
            defer { (state.lines, state.isTold) = ([], false) }
            return (state.lines, state.isFull)
        }
    }

    /// Whether a line found no room.
    var isFull: Bool { state.withLock { $0.isFull } }
}
