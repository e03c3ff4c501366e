// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Lines on their way from the drain to one watching client.
///
/// The drain adds lines, and the event loop takes them once the client has taken the earlier ones. So a client that does not
/// read costs the drain only this much memory, and is dropped when that is full.
final class WatchSubscription: Sendable {
    /// The most waiting bytes: 1 MiB.
    static let mostBytes = 1 << 20
    /// The message to a client that reads too slowly.
    static let overflow =
        "\(mostBytes) bytes were waiting to be read; watch again with a narrower filter or a faster reader"

    /// The state guarded by the lock.
    private struct State {
        /// The whole lines waiting to be sent.
        var lines: [UInt8] = []
        /// Whether the loop has been notified of waiting lines.
        var isTold = false
        /// Whether a line found no room; no line is accepted after it.
        var isFull = false
    }

    /// The client's filter.
    let filter: WatchFilter
    /// The waiting lines, guarded by the lock.
    private let state = Mutex(State())
    /// Notifies the loop of waiting lines, once until they are taken.
    private let tell: @Sendable () -> Void

    /// Creates an empty subscription.
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

    /// Takes the lines; `isFull` when further ones found no room.
    func take() -> (lines: [UInt8], isFull: Bool) {
        state.withLock { state in
            defer { (state.lines, state.isTold) = ([], false) }
            return (state.lines, state.isFull)
        }
    }

    /// Whether a line found no room.
    var isFull: Bool { state.withLock { $0.isFull } }
}
