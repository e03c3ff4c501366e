// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The deliveries that came last, so that each is dispatched once.
///
/// What the slice of the instance keeps of them survives; this is what requests look at, who come at the same time too.
final class DeliveryWindow: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// What was dispatched, the oldest first.
        var order: [String]
        /// The same to look up.
        var known: Set<String>
        /// What is being dispatched, with those who wait for what comes of it.
        var inHand: [String: [CheckedContinuation<Void, Never>]] = [:]
    }

    /// The deliveries, guarded by the lock.
    private let state: Mutex<State>

    /// Knows what the slice knows.
    init(_ delivered: [String]) {
        let order = delivered.suffix(HTTP.mostDeliveries)
        state = Mutex(State(order: Array(order), known: Set(order)))
    }

    /// Whether a delivery is new, and then in the hand of who asks, until `settle`. Waits while it is in another one's.
    func claim(_ name: String) async -> Bool {
        while true {
            let isNew = state.withLock { state -> Bool? in
                if state.known.contains(name) { return false }
                guard state.inHand[name] == nil else { return nil }
                state.inHand[name] = []
                return true
            }
            if let isNew { return isNew }
            await withCheckedContinuation { waiter in
                let isFree = state.withLock { state in
                    guard state.inHand[name] != nil else { return true }
                    state.inHand[name]?.append(waiter)
                    return false
                }
                if isFree { waiter.resume() }
            }
        }
    }

    /// Lets go of a delivery, which was dispatched or is to be when it comes again.
    func settle(_ name: String, isDispatched: Bool) {
        let waiting = state.withLock { state in
            if isDispatched, state.known.insert(name).inserted {
                state.order.append(name)
                if state.order.count > HTTP.mostDeliveries { state.known.remove(state.order.removeFirst()) }
            }
            return state.inHand.removeValue(forKey: name) ?? []
        }
        for waiter in waiting { waiter.resume() }
    }
}
