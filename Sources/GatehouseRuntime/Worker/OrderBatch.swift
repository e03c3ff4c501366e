// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Orders for a worker that are written and not sent yet.
///
/// They are gathered without a lock, and sent together: the thread that takes a worker's answers needs the lock as often as the drain.
struct OrderBatch {
    /// One order.
    struct Order {
        /// What it is.
        var order: WorkerOrder
        /// The bytes of its frame.
        let length: Int
        /// The effect that stands for it in the log of the instance; nil where none does.
        let effect: UInt64?
        /// The action's number; 0 for none.
        let sequence: UInt64
        /// The action that is to be heard, under its global type, and where it came from; nil for another order.
        let action: (action: AnyAction, source: ActionSource)?
    }

    /// Their frames, one after the other.
    private(set) var frames = FrameWriter()
    /// In order.
    private(set) var orders: [Order] = []
    /// The last source that was written, in this batch or an earlier one.
    private var source: ActionSource?

    /// Adds an order.
    mutating func add(
        _ order: WorkerOrder, effect: UInt64? = nil, sequence: UInt64 = 0,
        action: (action: AnyAction, source: ActionSource)? = nil,
        _ body: (inout FrameWriter) -> Void = { _ in }
    ) {
        let before = frames.bytes.count
        frames.begin(order.rawValue)
        body(&frames)
        frames.end()
        orders.append(
            Order(
                order: order, length: frames.bytes.count - before, effect: effect, sequence: sequence,
                action: action))
    }

    /// Lets the orders that follow come from a place; adds an order if it is another one than before.
    mutating func add(_ place: ActionSource) {
        if let source, source.hasSameOrigin(as: place) { return }
        source = place
        add(.source) { $0.put(place) }
    }

    /// Removes all orders, and keeps their memory for the next ones.
    mutating func removeAll() {
        frames.remove()
        orders.removeAll(keepingCapacity: true)
    }
}
