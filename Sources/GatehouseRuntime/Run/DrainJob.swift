// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Synchronization

/// Something that a thread wants done in the drain while it waits, but not for ever.
///
/// `@unchecked Sendable`: `body` is called by the drain while the thread that brought it sleeps, or never; the lock orders the two.
final class DrainJob: @unchecked Sendable {
    /// The stages of a job.
    private enum Progress {
        /// The drain has not come to it.
        case waiting
        /// The drain does it, or has done it.
        case taken
        /// Nobody waits for it any more.
        case abandoned
    }

    /// What is to be done.
    private let body: () -> Void
    /// The stage that the job has reached.
    private let progress = Mutex(Progress.waiting)
    /// Signalled when it is done.
    private let end = DispatchSemaphore(value: 0)

    /// A job that the drain has not come to.
    init(_ body: @escaping () -> Void) { self.body = body }

    /// Does it, unless nobody waits for it any more; called in the drain.
    func run() {
        let isWanted = progress.withLock { progress in
            guard progress == .waiting else { return false }
            progress = .taken
            return true
        }
        guard isWanted else { return }
        body()
        end.signal()
    }

    /// Sleeps until it is done; false when the drain did not come to it in time, and never will.
    func wait(atMost limit: Duration) -> Bool {
        let milliseconds = Int((limit / .milliseconds(1)).rounded(.up))
        if end.wait(timeout: .now() + .milliseconds(milliseconds)) == .success { return true }
        let isAbandoned = progress.withLock { progress in
            guard progress == .waiting else { return false }
            progress = .abandoned
            return true
        }
        if isAbandoned { return false }
        end.wait()
        return true
    }
}

/// A drain that did not come to what somebody waited for.
package struct DrainBusy: Error, Equatable, Sendable, CustomStringConvertible {
    /// The id of the instance whose code it ran; nil when it ran none at that moment.
    package let instance: String?
    /// How long it was waited for.
    package let limit: Duration

    /// A drain that did not become free in time.
    package init(instance: String?, limit: Duration) {
        self.instance = instance
        self.limit = limit
    }

    /// Who is busy, and for how long, as the beginning of a sentence.
    package var description: String {
        instance.map { "\($0) has been busy with an action for \(limit.inSeconds)" }
            ?? "the host has been busy with actions for \(limit.inSeconds)"
    }
}
