// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// Asks a run to end in good order; callable from any thread, and before the run has begun.
///
/// The run then stops reading, processes what it has read, and gives its effects time to finish.
package final class StopRequest: Sendable {
    /// The reason to end the run.
    package enum Reason: Equatable, Sendable {
        /// A signal with this number arrived.
        case signal(Int32)
        /// One arrived at the process that this one goes on for.
        case relayed(Int32)
        /// Results can no longer be written; the system's error number.
        case outputFailed(Int32)
        /// A client of the control socket asked for it.
        case control
        /// The journal can no longer be written.
        case journalFailed
        /// The state that the host shares with its cluster can no longer be continued.
        case clusterFailed

        /// The number of the signal; nil where none arrived.
        package var signal: Int32? {
            switch self {
            case .signal(let number), .relayed(let number): number
            case .outputFailed, .control, .journalFailed, .clusterFailed: nil
            }
        }

        /// Whether the end is wanted, rather than forced by a failure.
        package var isWanted: Bool {
            switch self {
            case .signal, .relayed, .control: true
            case .outputFailed, .journalFailed, .clusterFailed: false
            }
        }
    }

    /// The first reason; nil while nobody has asked.
    private let first = Mutex<Reason?>(nil)
    /// Whether there is a reason; cheap enough to check for each line.
    private let flag = Atomic(false)
    /// Wakes threads that wait for input or effects; never emptied after the first reason.
    private let pipe = WakePipe()

    /// Called at the first reason that is wanted.
    private let onAsked = Mutex<[@Sendable () -> Void]>([])

    /// Pipes of threads that also wait for something else.
    private let waiting = Mutex<[WakePipe]>([])

    /// Creates a request that nobody has made yet.
    package init() {}

    /// Makes the request; of several reasons the first counts.
    package func ask(_ reason: Reason) {
        let isFirst = first.withLock { first in
            guard first == nil else { return false }
            first = reason
            return true
        }
        guard isFirst else { return }
        if reason.isWanted { for body in onAsked.withLock({ $0 }) { body() } }
        flag.store(true, ordering: .releasing)
        pipe.wake()
        for waiting in waiting.withLock({ $0 }) { waiting.wake() }
    }

    /// Also calls a closure when the end is wanted; at once if it already is, and then perhaps twice.
    package func onAsk(_ body: @escaping @Sendable () -> Void) {
        onAsked.withLock { $0.append(body) }
        if reason?.isWanted == true { body() }
    }

    /// Also wakes a pipe when the request is made; at once if it already was.
    package func wake(_ other: WakePipe) {
        waiting.withLock { $0.append(other) }
        if isAsked { other.wake() }
    }

    /// Whether the request was made.
    @inline(__always)
    package var isAsked: Bool { flag.load(ordering: .relaxed) }

    /// Waits until the request is made, or the given number of milliseconds has passed.
    package func wait(atMost milliseconds: Int32) {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&watched, 1, milliseconds)
    }

    /// The reason; nil before the request is made.
    package var reason: Reason? { first.withLock { $0 } }

    /// Readable after the request was made.
    package var descriptor: Int32 { pipe.descriptor }
}
