// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// The orders that a worker has been given since its last checkpoint, as frames: what another process is given again if it dies.
///
/// Each has a number, from 1; the numbers go on from one process to the next.
struct KeptOrders {
    /// An order that has no checkpoint behind it yet.
    private struct Entry {
        /// What it is.
        var order: WorkerOrder
        /// Where its frame ends, counted from the first frame ever.
        let end: Int
        /// The effect that stands for it in the log of the instance; nil where none does.
        let effect: UInt64?
        /// The action's number; 0 for none.
        let sequence: UInt64
        /// The action that is to be heard, under its global type, and where it came from; nil for another order.
        let action: (action: AnyAction, source: ActionSource)?
    }

    /// The frames, from `start` on.
    private(set) var frames = FrameWriter()
    /// Where the first byte stands, counted from the first frame ever.
    private var start = 0
    /// Up to where all is put into the ring.
    private(set) var sent = 0
    /// In order.
    private var entries: [Entry] = []
    /// Those of them that have a checkpoint behind them and were not removed from the array yet.
    private var done = 0
    /// The number of the last order with a checkpoint behind it.
    private(set) var last: UInt64 = 0
    /// The frame of the source that holds for the first kept order; empty for none.
    private(set) var context: [UInt8] = []
    /// The last source that was written.
    private var source: ActionSource?

    /// The number of orders without a checkpoint.
    var count: Int { entries.count - done }
    /// Whether one of them can change the state.
    var changesState: Bool { entries[done...].contains { $0.order == .hear } }
    /// Whether all of it is in the ring.
    var isSent: Bool { sent == start + frames.bytes.count }

    /// Adds an order.
    mutating func add(
        _ order: WorkerOrder, effect: UInt64? = nil, sequence: UInt64 = 0,
        action: (action: AnyAction, source: ActionSource)? = nil,
        _ body: (inout FrameWriter) -> Void = { _ in }
    ) {
        frames.begin(order.rawValue)
        body(&frames)
        frames.end()
        entries.append(
            Entry(
                order: order, end: start + frames.bytes.count, effect: effect, sequence: sequence,
                action: action))
    }

    /// Lets the orders that follow come from a place; adds an order if it is another one than before.
    mutating func add(_ place: ActionSource) {
        if let source, source.hasSameOrigin(as: place) { return }
        source = place
        add(.source) { $0.put(place) }
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
            guard done < entries.count, entries[done].end <= sent else {
                throw .badNumber("a number of orders")
            }
            let entry = entries[done]
            body(entry.order, entry.effect, entry.sequence)
            if entry.order == .source {
                let begin = done == 0 ? start : entries[done - 1].end
                context = Array(frames.bytes[(begin - start)..<(entry.end - start)])
            }
            done += 1
            last += 1
        }
        // As much is moved as was added since, at most.
        guard done > 0, done * 2 >= entries.count else { return }
        let end = entries[done - 1].end
        frames.remove(end - start)
        start = end
        entries.removeSubrange(..<done)
        done = 0
    }

    /// Lets all that is kept be sent once more, to another process.
    mutating func rewind() {
        sent = done == 0 ? start : entries[done - 1].end
    }

    /// Lets an action be heard by no process any more, and gives it; nil where it is not kept.
    mutating func skip(_ sequence: UInt64) -> (action: AnyAction, source: ActionSource)? {
        for index in done..<entries.count where entries[index].sequence == sequence {
            guard let action = entries[index].action else { continue }
            let begin = index == 0 ? start : entries[index - 1].end
            frames.change(WorkerOrder.skip.rawValue, at: begin - start)
            return action
        }
        return nil
    }

    /// Removes all that is kept.
    ///
    /// - Parameter body: called with each action, and where it came from.
    /// - Returns: what stands in the log for the orders that are waited for.
    mutating func removeAll(_ body: (AnyAction, ActionSource) -> Void) -> [UInt64?] {
        var effects: [UInt64?] = []
        for entry in entries[done...] {
            if entry.order.isAwaited { effects.append(entry.effect) }
            if let (action, source) = entry.action { body(action, source) }
        }
        last += UInt64(entries.count - done)
        start += frames.bytes.count
        sent = start
        frames.remove()
        (entries, done) = ([], 0)
        return effects
    }
}
