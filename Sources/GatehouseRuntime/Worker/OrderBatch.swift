// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSDK
package import GatehouseSupport

/// Orders for a worker that are written and not sent yet.
///
/// They are gathered without a lock, and sent together: the thread that takes a worker's answers needs the lock as often as the drain.
package struct OrderBatch {
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
        /// What is known of the action beside its frame; nil for an order that nobody misses.
        let subject: Subject?
    }

    /// What is known of the action of an order beside its frame, from which the action is read where it is needed, which is seldom.
    ///
    /// Orders are values of plain bits: one that held its action would count references wherever it goes.
    struct Subject {
        /// Its global type.
        let type: ActionType
        /// Where it came from.
        let source: ActionSource
        /// Where the action begins in the frame, counted from the frame's first byte.
        let place: Int
    }

    /// Their frames, one after the other.
    private(set) var frames = FrameWriter()
    /// In order.
    private(set) var orders: [Order] = []
    /// Actions without content, which keep the names of types known that may be forgotten otherwise; a type that comes again after
    /// another one is here again.
    private(set) var types: [AnyAction] = []
    /// The last of them, in this batch or an earlier one.
    private var lastPassing: AnyAction?
    /// The local type of the action that was heard last, and its name: most have that of the one before.
    private var lastHeard: (type: ActionType?, name: [UInt8]) = (nil, [])
    /// The last source that was written, in this batch or an earlier one.
    private var source: ActionSource?

    /// A batch without orders.
    package init() {}

    /// Adds an order that is about no action, or about one that nobody misses.
    package mutating func add(_ order: WorkerOrder, _ body: (inout FrameWriter) -> Void = { _ in }) {
        let before = frames.bytes.count
        frames.begin(order.rawValue)
        body(&frames)
        frames.end()
        orders.append(
            Order(
                order: order, length: frames.bytes.count - before, effect: nil, sequence: 0, subject: nil))
    }

    /// Adds an order about an action, which a dead letter keeps where nothing comes of it.
    ///
    /// - Parameters:
    ///   - action: under its local type.
    ///   - type: its global type.
    ///   - json: its JSON, which may have another type.
    ///   - body: writes what stands before the action.
    package mutating func add(
        _ order: WorkerOrder, _ action: AnyAction, under type: ActionType, from source: ActionSource,
        as json: [UInt8], effect: UInt64?, sequence: UInt64, _ body: (inout FrameWriter) -> Void
    ) {
        let before = frames.bytes.count
        frames.begin(order.rawValue)
        body(&frames)
        let place = frames.bytes.count - before
        frames.put(action, from: source, as: json)
        frames.end()
        add(order, since: before, effect, sequence, Subject(type: type, source: source, place: place))
    }

    /// Adds an order to reduce an action, and nothing else.
    package mutating func add(reducing late: LateAction, as json: [UInt8]) {
        let nowhere = ActionSource(file: "", function: "", line: 0, info: nil)
        add(
            .reduce, late.action, under: late.type, from: nowhere, as: json, effect: nil,
            sequence: late.sequence
        ) { frame in
            frame.put(late.sequence)
            frame.put(late.time ?? .nan)
        }
    }

    /// Adds an order to show an action once more whose effects had not ended; otherwise the same.
    ///
    /// - Parameters:
    ///   - logged: what stands for it in the log now.
    ///   - effects: what the process or the instance before has left of it; not empty.
    ///   - key: what its effects are called.
    package mutating func add(
        showing action: AnyAction, under type: ActionType, from source: ActionSource, as json: [UInt8],
        effect logged: UInt64?, beginning effects: [JournalEffect], named key: String
    ) {
        let first = effects[0]
        let places = first.standsForAll ? [] : effects.map(\.ordinal)
        add(source)
        add(.show, action, under: type, from: source, as: json, effect: logged, sequence: first.sequence) {
            frame in
            frame.put(first.sequence)
            frame.put(key)
            frame.put(first.attempt)
            frame.put(UInt32(places.count))
            for place in places { frame.put(place) }
        }
    }

    /// Adds an order to hear an action; otherwise the same.
    ///
    /// - Parameters:
    ///   - local: the action's local type.
    ///   - origin: what it follows from.
    ///   - time: when it came; NaN where nobody asks.
    package mutating func add(
        hearing local: ActionType, under type: ActionType, from source: ActionSource,
        as json: UnsafeRawBufferPointer, effect: UInt64?, sequence: UInt64,
        origin: ChainOrigin, at time: Double
    ) {
        if lastHeard.type != local { lastHeard = (local, Array(local.name.utf8)) }
        let before = frames.bytes.count
        let numbers = (
            sequence, origin.input, origin.epoch, origin.first, origin.place.number, time.bitPattern
        )
        let place = unsafe Self.write(
            numbers, UInt64(source.line), lastHeard.name, json, to: &frames)
        add(.hear, since: before, effect, sequence, Subject(type: type, source: source, place: place))
    }

    /// Writes an order to hear an action; apart from the batch, so that the name is read where it is while the frames change.
    @inline(__always)
    private static func write(
        _ numbers: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64), _ line: UInt64,
        _ name: borrowing [UInt8], _ json: UnsafeRawBufferPointer, to frames: inout FrameWriter
    ) -> Int {
        unsafe frames.add(WorkerOrder.hear.rawValue, numbers, line, name.span, json)
    }

    /// Adds an order whose frame is written.
    private mutating func add(
        _ order: WorkerOrder, since start: Int, _ effect: UInt64?, _ sequence: UInt64, _ subject: Subject
    ) {
        orders.append(
            Order(
                order: order, length: frames.bytes.count - start, effect: effect, sequence: sequence,
                subject: subject))
        if subject.type.isPassing { keep(subject.type) }
    }

    /// Keeps the name of a type known as long as its order is.
    private mutating func keep(_ type: ActionType) {
        if types.last?.type == type { return }
        let action = lastPassing.flatMap { $0.type == type ? $0 : nil } ?? AnyAction(type)
        lastPassing = action
        types.append(action)
    }

    /// Lets the orders that follow come from a place; adds an order if it is another one than before.
    package mutating func add(_ place: ActionSource) {
        if let source, source.hasSameOrigin(as: place) { return }
        source = place
        add(.source) { $0.put(place) }
    }

    /// Removes all orders, and keeps their memory for the next ones.
    mutating func removeAll() {
        frames.remove()
        orders.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
    }
}
