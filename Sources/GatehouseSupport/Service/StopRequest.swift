// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// Asks a run to end in good order; callable from any thread, and before the run has begun.
///
/// The run then reads no further, processes what it has read, and gives its effects time to finish.
public final class StopRequest: Sendable {
    /// Why the run is to end.
    public enum Reason: Equatable, Sendable {
        /// A signal with this number arrived.
        case signal(Int32)
        /// Results can no longer be written; the system's error number.
        case outputFailed(Int32)
        /// A client of the control socket asked for it.
        case control
        /// The journal cannot be written any more.
        case journalFailed
        /// What the host has in common with others of its cluster cannot be gone on with.
        case clusterFailed

        /// Whether somebody wants the end, and not only nothing else is possible.
        var isWanted: Bool {
            switch self {
            case .signal, .control: true
            case .outputFailed, .journalFailed, .clusterFailed: false
            }
        }
    }

    /// The first reason; nil while nobody has asked.
    private let first = Mutex<Reason?>(nil)
    /// Whether there is a reason, for a look at each line.
    private let flag = Atomic(false)
    /// Wakes who waits for input or effects; from the first reason on it is never emptied.
    private let pipe = WakePipe()

    /// Called at the first reason by which somebody wants the end; nil for nobody.
    private let onAsked = Mutex<(@Sendable () -> Void)?>(nil)

    /// Pipes of those who wait for something else too.
    private let waiting = Mutex<[WakePipe]>([])

    /// A request that nobody has made yet.
    public init() {}

    /// Asks; of several reasons the first counts.
    public func ask(_ reason: Reason) {
        let isFirst = first.withLock { first in
            guard first == nil else { return false }
            first = reason
            return true
        }
        guard isFirst else { return }
        if reason.isWanted { onAsked.withLock { $0 }?() }
        flag.store(true, ordering: .releasing)
        pipe.wake()
        for waiting in waiting.withLock({ $0 }) { waiting.wake() }
    }

    /// Calls a closure when somebody wants the end; at once when somebody has.
    public func onAsk(_ body: @escaping @Sendable () -> Void) {
        onAsked.withLock { $0 = body }
        if reason?.isWanted == true { body() }
    }

    /// Wakes who waits at a pipe too, once somebody asks; at once when somebody has.
    package func wake(_ other: WakePipe) {
        waiting.withLock { $0.append(other) }
        if isAsked { other.wake() }
    }

    /// Whether somebody has asked.
    @inline(__always)
    public var isAsked: Bool { flag.load(ordering: .relaxed) }

    /// Waits until somebody asks, or so many milliseconds are over.
    package func wait(atMost milliseconds: Int32) {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&watched, 1, milliseconds)
    }

    /// Why; nil while nobody has asked.
    public var reason: Reason? { first.withLock { $0 } }

    /// Readable once somebody has asked.
    public var descriptor: Int32 { pipe.descriptor }
}
