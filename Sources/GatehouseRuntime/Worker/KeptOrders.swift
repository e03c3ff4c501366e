// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// The orders that a worker has been given since its last checkpoint, as frames: another process is given them again if it dies.
///
/// Each has a number, from 1; the numbers continue from one process to the next.
struct KeptOrders {
    /// The frames, from `start` on.
    private(set) var frames = FrameWriter()
    /// Where the first byte stands, counted from the first frame ever.
    private var start = 0
    /// Up to where all is put into the ring.
    private(set) var sent = 0
    /// Up to where there is a checkpoint.
    private var finished = 0
    /// In order.
    private var orders: [OrderBatch.Order] = []
    /// Those of them that have a checkpoint and were not removed from the array yet.
    private var done = 0
    /// The number of the last order with a checkpoint.
    private(set) var last: UInt64 = 0
    /// The frame of the source that holds for the first kept order; empty for none.
    private(set) var context: [UInt8] = []

    /// The number of orders without a checkpoint.
    var count: Int { orders.count - done }
    /// Whether one of them can change the state.
    var changesState: Bool { orders[done...].contains { $0.order == .hear || $0.order == .reduce } }
    /// Whether all of it is in the ring.
    var isSent: Bool { sent == start + frames.bytes.count }

    /// Adds the orders of a batch, which has none after that.
    mutating func take(_ batch: inout OrderBatch) {
        frames.add(batch.frames)
        orders += batch.orders
        batch.removeAll()
    }

    /// Takes note that so many more bytes are in the ring.
    mutating func send(_ count: Int) { sent += count }

    /// Calls a body with what is not in the ring yet.
    func withUnsent<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try body(frames.bytes.span.extracting((sent - start)..<frames.bytes.count))
    }

    /// Puts what is not in the ring yet into it, as much as there is room for, and returns how many bytes.
    func put(into writer: inout RingWriter) throws(RingFailure) -> Int {
        try writer.put(frames.bytes.span.extracting((sent - start)..<frames.bytes.count))
    }

    /// Takes note that all up to an order is done.
    ///
    /// - Parameter body: called with each, what stands for it in the log, and the action's number.
    /// - Throws: that one of them was not sent, or never given.
    mutating func finish(through number: UInt64, _ body: (WorkerOrder, UInt64?, UInt64) -> Void)
        throws(FrameFailure)
    {
        while last < number {
            guard done < orders.count, finished + orders[done].length <= sent else {
                throw .badNumber("a number of orders")
            }
            // Not the order as a whole, which would count references to its action.
            let (order, length) = (orders[done].order, orders[done].length)
            body(order, orders[done].effect, orders[done].sequence)
            if order == .source {
                context = Array(frames.bytes[(finished - start)..<(finished + length - start)])
            }
            finished += length
            done += 1
            last += 1
        }
        // As much is moved as was added since, at most.
        guard done > 0, done * 2 >= orders.count else { return }
        frames.remove(finished - start)
        start = finished
        orders.removeSubrange(..<done)
        done = 0
    }

    /// Lets all that is kept be sent once more, to another process.
    mutating func rewind() { sent = finished }

    /// Lets an action be heard by no process any more, and gives it; nil where it is not kept.
    mutating func skip(_ sequence: UInt64) -> (action: AnyAction, source: ActionSource)? {
        var begin = finished - start
        for order in orders[done...] {
            if order.sequence == sequence, let action = order.action {
                frames.change(WorkerOrder.skip.rawValue, at: begin)
                return action
            }
            begin += order.length
        }
        return nil
    }

    /// Removes all that is kept.
    ///
    /// - Parameter body: called with each action, and where it came from.
    /// - Returns: what stands in the log for the orders that are waited for.
    mutating func removeAll(_ body: (AnyAction, ActionSource) -> Void) -> [UInt64?] {
        var effects: [UInt64?] = []
        for order in orders[done...] {
            if order.order.isAwaited { effects.append(order.effect) }
            if let (action, source) = order.action { body(action, source) }
        }
        last += UInt64(orders.count - done)
        start += frames.bytes.count
        (sent, finished) = (start, start)
        frames.remove()
        (orders, done) = ([], 0)
        return effects
    }
}
