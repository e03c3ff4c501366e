// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// The orders that a worker has been given since its last checkpoint, as frames: another process is given them again if it dies.
///
/// Each has a number, from 1; the numbers continue from one process to the next.
package struct KeptOrders {
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
    package private(set) var last: UInt64 = 0
    /// Keep the names of their types known that may be forgotten otherwise, and perhaps of others that were kept.
    private var types: [AnyAction] = []
    /// The frame of the source that holds for the first kept order; empty for none.
    private(set) var context: [UInt8] = []

    /// No orders.
    package init() {}

    /// The number of orders without a checkpoint.
    package var count: Int { orders.count - done }
    /// Whether one of them can change the state.
    var changesState: Bool { orders[done...].contains { $0.order == .hear || $0.order == .reduce } }
    /// Whether one of them ends all effects that were there before.
    var endsEffects: Bool { orders[done...].contains { $0.order == .endEffects } }
    /// Whether all of it is in the ring.
    var isSent: Bool { sent == start + frames.bytes.count }

    /// Adds the orders of a batch, which has none after that.
    package mutating func take(_ batch: inout OrderBatch) {
        frames.add(batch.frames)
        orders += batch.orders
        for type in batch.types where types.last?.type != type.type { types.append(type) }
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
    /// - Parameter body: called with each, what stands for it in the log, and the action's number; returns whether the action is still needed.
    /// - Returns: the actions that are.
    /// - Throws: that one of them was not sent, or never given.
    @discardableResult
    mutating func finish(through number: UInt64, _ body: (WorkerOrder, UInt64?, UInt64) -> Bool)
        throws(FrameFailure) -> [KeptAction]
    {
        var needed: [KeptAction] = []
        while last < number {
            guard done < orders.count, finished + orders[done].length <= sent else {
                throw .badNumber("a number of orders")
            }
            let (order, length) = (orders[done].order, orders[done].length)
            if body(order, orders[done].effect, orders[done].sequence),
                let action = action(of: orders[done], at: finished - start)
            {
                needed.append(action)
            }
            if order == .source {
                context = Array(frames.bytes[(finished - start)..<(finished + length - start)])
            }
            finished += length
            done += 1
            last += 1
        }
        // As much is moved as was added since, at most.
        guard done > 0, done * 2 >= orders.count else { return needed }
        frames.remove(finished - start)
        start = finished
        orders.removeSubrange(..<done)
        done = 0
        if orders.isEmpty {
            types.removeAll(keepingCapacity: true)
        } else if !types.isEmpty {
            var left = Set(orders.lazy.compactMap { $0.subject?.type })
            types = types.filter { left.remove($0.type) != nil }
        }
        return needed
    }

    /// The actions without a checkpoint, in order, but for those that are to be reduced alone: an order of their own stands for what else
    /// is to become of them.
    package var actions: [KeptAction] {
        var place = finished - start
        return orders[done...].compactMap { order in
            defer { place += order.length }
            return order.order == .reduce ? nil : action(of: order, at: place)
        }
    }

    /// Those of these actions whose effects no later order ends.
    var lastingActions: [KeptAction] {
        var place = finished - start
        var lasting: [KeptAction] = []
        for order in orders[done...] {
            defer { place += order.length }
            if order.order == .endEffects {
                lasting = []
            } else if order.order != .reduce, let action = action(of: order, at: place) {
                lasting.append(action)
            }
        }
        return lasting
    }

    /// What the state does not have yet of the actions without a checkpoint, under their local types, in order and with the times at which
    /// they came: all that are to be heard, or reduced alone. Those that are shown once more it has.
    package var unreduced: [LateAction] {
        var place = finished - start
        var lines = RecordedLines()
        return orders[done...].compactMap { order in
            defer { place += order.length }
            let numbers = Self.numbers(before: order.order)
            guard let numbers, frames.bytes[place + 4] != WorkerOrder.skip.rawValue else { return nil }
            guard var frame = Frame(kept: frames.bytes[place..<place + order.length], after: numbers.before),
                let time = try? frame.fraction(), (try? frame.skip(bytes: numbers.after)) != nil,
                let (action, type, _) = try? frame.action(by: &lines)
            else { return nil }
            let local = ActionType(String(decoding: type, as: UTF8.self))
            return LateAction(
                action.renamed(local), under: order.subject?.type ?? local, at: time.isNaN ? nil : time,
                as: order.sequence)
        }
    }

    /// Where an instance stands that hears none of the actions without a checkpoint: it has missed them; nil where there are none.
    ///
    /// A span has nothing between two of them, since nobody knows here why the instance was not given that.
    package var standing: Standing? {
        var standing: Standing?
        var (place, last): (Int, UInt64) = (finished - start, 0)
        for order in orders[done...] {
            defer { place += order.length }
            guard order.order == .hear || order.order == .reduce && order.sequence > 0,
                frames.bytes[place + 4] != WorkerOrder.skip.rawValue
            else { continue }
            if standing == nil { standing = Standing(before: order.sequence) }
            if order.sequence != last + 1 { standing?.interrupt() }
            standing?.miss(order.sequence)
            last = order.sequence
        }
        return standing
    }

    /// How many bytes stand before and after the time in an order to reduce an action; nil for one that reduces none.
    private static func numbers(before order: WorkerOrder) -> (before: Int, after: Int)? {
        switch order {
        case .hear: (40, 0)
        case .reduce: (8, 0)
        default: nil
        }
    }

    /// The action of an order whose frame begins at a place in the frames; nil for an order without one that anybody misses, and for one
    /// that is skipped.
    private func action(of order: OrderBatch.Order, at place: Int) -> KeptAction? {
        guard let subject = order.subject, frames.bytes[place + 4] != WorkerOrder.skip.rawValue else {
            return nil
        }
        return KeptAction(
            sequence: order.sequence, logged: order.effect, type: AnyAction(subject.type),
            source: subject.source, place: subject.place,
            frame: Array(frames.bytes[place..<place + order.length]))
    }

    /// Lets all that is kept be sent once more, to another process.
    mutating func rewind() { sent = finished }

    /// Lets an action be heard by no process any more, and gives it; nil where it is not kept.
    mutating func skip(_ sequence: UInt64) -> KeptAction? {
        var place = finished - start
        var skipped: KeptAction?
        // One that is to be reduced may be there once more, to be shown.
        for order in orders[done...] {
            if order.sequence == sequence, let action = action(of: order, at: place) {
                frames.change(WorkerOrder.skip.rawValue, at: place)
                if skipped == nil || order.order != .reduce { skipped = action }
            }
            place += order.length
        }
        return skipped
    }

    /// Removes all that is kept.
    ///
    /// - Returns: the actions among it, and what stands in the log for the orders that are waited for.
    mutating func removeAll() -> (actions: [KeptAction], logged: [UInt64?]) {
        let all = (actions, orders[done...].filter(\.order.isAwaited).map(\.effect))
        last += UInt64(orders.count - done)
        start += frames.bytes.count
        (sent, finished) = (start, start)
        frames.remove()
        (orders, done, types) = ([], 0, [])
        return all
    }
}

/// An action that a worker was given, as the frame of its order.
package struct KeptAction {
    /// Its number.
    package let sequence: UInt64
    /// What stands for it in the log; nil where nothing does.
    let logged: UInt64?
    /// Its global type, as an action without content, which keeps the name known.
    private let type: AnyAction
    /// Where it came from.
    let source: ActionSource
    /// Where it begins in the frame.
    private let place: Int
    /// The frame.
    private let frame: [UInt8]

    /// An action in a frame.
    fileprivate init(
        sequence: UInt64, logged: UInt64?, type: AnyAction, source: ActionSource, place: Int, frame: [UInt8]
    ) {
        self.sequence = sequence
        self.logged = logged
        self.type = type
        self.source = source
        self.place = place
        self.frame = frame
    }

    /// The action under its global type.
    func read(by lines: inout RecordedLines) -> AnyAction {
        guard var content = Frame(kept: frame[...], after: place - 5),
            let action = try? content.action(by: &lines)
        else { return type }
        return action.action.renamed(type.type)
    }
}

extension Frame {
    /// Opens a frame that this host has written, so many bytes after the beginning of its content; never nil for one.
    fileprivate init?(kept bytes: ArraySlice<UInt8>, after count: Int) {
        var reader = FrameReader(limit: bytes.count)
        reader.fill(bytes)
        guard var frame = try? reader.next(), (try? frame.skip(bytes: count)) != nil else { return nil }
        self = frame
    }
}
