// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The deliveries that came last, so that each is dispatched once.
///
/// What the slice of the instance keeps of them survives; this is what requests look at, who come at the same time too.
final class DeliveryWindow: Sendable {
    /// What is known of a delivery.
    enum Claim {
        /// It has not come before; it is in the hand of who asked, until `settle`.
        case new
        /// It was dispatched.
        case known
        /// Another delivery was dispatched that had the same body.
        case sameBody
    }

    /// The names that came last.
    private struct Names {
        /// The names, the oldest first.
        private var order: [String]
        /// The same to look up.
        private(set) var known: Set<String>

        /// The last of some names.
        init(_ names: [String]) {
            order = names.suffix(HTTP.mostDeliveries)
            known = Set(order)
        }

        /// Puts a name behind the others, and forgets the oldest beyond the most.
        mutating func insert(_ name: String) {
            guard known.insert(name).inserted else { return }
            order.append(name)
            if order.count > HTTP.mostDeliveries { known.remove(order.removeFirst()) }
        }
    }

    /// What is guarded by the lock.
    private struct State {
        /// Deliveries that were dispatched, by name.
        var names: Names
        /// The same by digest, where that tells.
        var bodies: Names
        /// What is being dispatched, by name and digest, with those who wait for what comes of it.
        var inHand: [String: [CheckedContinuation<Claim?, Never>]] = [:]
    }

    /// The deliveries, guarded by the lock.
    private let state: Mutex<State>

    /// Knows what the slice knows.
    init(_ slice: HTTP.State) {
        state = Mutex(State(names: Names(slice.delivered), bodies: Names(slice.bodies ?? [])))
    }

    /// Looks whether a delivery is new. Waits while it, or one with its body, is in another one's hand.
    ///
    /// - Parameter body: the digest of its body; nil where bodies may be the same.
    func claim(_ name: String, body: String?) async -> Claim {
        while true {
            let claim: Claim? = await withCheckedContinuation { waiter in
                let claim = state.withLock { state -> Claim? in
                    if state.names.known.contains(name) { return .known }
                    if let body, state.bodies.known.contains(body) { return .sameBody }
                    let keys = [name, body].compactMap(\.self)
                    if let key = keys.first(where: { state.inHand[$0] != nil }) {
                        state.inHand[key]?.append(waiter)
                        return nil
                    }
                    for key in keys { state.inHand[key] = [] }
                    return .new
                }
                if let claim { waiter.resume(returning: claim) }
            }
            if let claim { return claim }
        }
    }

    /// Lets go of a delivery, which was dispatched or is to be when it comes again.
    func settle(_ name: String, body: String?, isDispatched: Bool) {
        let waiting = state.withLock { state in
            if isDispatched {
                state.names.insert(name)
                if let body { state.bodies.insert(body) }
            }
            return [name, body].compactMap(\.self).flatMap { state.inHand.removeValue(forKey: $0) ?? [] }
        }
        for waiter in waiting { waiter.resume(returning: nil) }
    }
}
