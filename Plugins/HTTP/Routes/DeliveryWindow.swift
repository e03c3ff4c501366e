// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The latest deliveries, so that each is dispatched once.
///
/// The slice of the instance is the durable copy; concurrent requests use this one.
final class DeliveryWindow: Sendable {
    /// The status of a delivery.
    enum Claim {
        /// It has not come before; the caller owns it until `settle`.
        case new
        /// It was dispatched.
        case known
        /// Another delivery with the same body was dispatched.
        case sameBody
    }

    /// The latest names.
    private struct Names {
        /// The names, the oldest first.
        private var order: [String]
        /// The same names for lookup.
        private(set) var known: Set<String>

        /// Takes the last of some names.
        init(_ names: [String]) {
            order = names.suffix(HTTP.mostDeliveries)
            known = Set(order)
        }

        /// Appends a name, and forgets the oldest beyond the limit.
        mutating func insert(_ name: String) {
            guard known.insert(name).inserted else { return }
            order.append(name)
            if order.count > HTTP.mostDeliveries { known.remove(order.removeFirst()) }
        }
    }

    /// The contents of the lock.
    private struct State {
        /// The names of dispatched deliveries.
        var names: Names
        /// Their digests, where these count.
        var bodies: Names
        /// Deliveries being dispatched, by name and digest, with those who wait for the outcome.
        var inHand: [String: [CheckedContinuation<Claim?, Never>]] = [:]
    }

    /// The deliveries, guarded by the lock.
    private let state: Mutex<State>

    /// Starts with the contents of the slice.
    init(_ slice: HTTP.State) {
        state = Mutex(State(names: Names(slice.delivered), bodies: Names(slice.bodies ?? [])))
    }

    /// Claims a delivery if it is new. Waits while another caller owns it, or one with its body.
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

    /// Releases a delivery, either dispatched or open to another attempt.
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
