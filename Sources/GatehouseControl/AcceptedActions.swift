// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
private import GatehouseSupport
private import Synchronization

/// The actions of a request, which a strict journal has committed before anything follows from them.
///
/// The next host would do what is refused here, unless the journal learns that it is over.
final class AcceptedActions: Sendable {
    /// Where they come from, one for each.
    private let sources: [ActionSource]
    /// Has committed them; nil where nobody has.
    private let journal: HostJournal?
    /// Whether they are being dispatched.
    private let areTaken = Atomic(false)

    /// Actions from these sources.
    ///
    /// - Parameter journal: the one that has committed them; nil for none.
    init(_ sources: [ActionSource], in journal: HostJournal?) {
        self.sources = sources
        self.journal = journal
    }

    /// Their sources, for who dispatches all of them now; called in the drain.
    func take() -> [ActionSource] {
        areTaken.store(true, ordering: .relaxed)
        return sources
    }

    /// Lets them be over, unless they are dispatched.
    ///
    /// - Returns: whether another process goes on for the host instead, and does what they ask for.
    func withdraw(from store: HostStore) async -> Bool {
        guard let journal else { return false }
        return await withCheckedContinuation { waiter in
            // Whoever enqueues may drain, which is not for the event loop.
            BackgroundThread.perform { [self] in
                // What has begun by now is done before this.
                store.queue.enqueueAtRest { [self] in
                    let areOpen = !areTaken.load(ordering: .relaxed)
                    if areOpen, !store.isHandedOver { journal.withdraw(sources) }
                    waiter.resume(returning: areOpen && store.isHandedOver)
                }
            }
        }
    }
}
