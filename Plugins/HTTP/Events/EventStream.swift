// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// One client's view of a feed: a body that grows while it listens; a slow reader loses events, and gets their number, as does one that
/// wants no more than so many a second.
///
/// Read by one thread of the server at a time.
final class EventStream: Sendable {
    /// The next piece.
    enum Piece {
        /// These bytes, and maybe more after them.
        case bytes([UInt8])
        /// Nothing for now.
        case nothing
        /// The end of the stream.
        case end
    }

    /// The contents of the lock.
    private struct State {
        /// The number of the next event.
        var next: Int
        /// The rest of a text already begun.
        var rest: ArraySlice<UInt8>
        /// Whether anything was sent since the connection was last woken.
        var isFresh = true
        /// When the second ends in which events are counted.
        var endOfSecond: ContinuousClock.Instant?
        /// How many more events the client gets in it.
        var left = 0
        /// How many events were left out since the client last got the number.
        var leftOut = 0
        /// Wakes the connection; nil before there is one, and after its end.
        var wake: (@Sendable () -> Void)?
    }

    /// The feed, which lives while anybody listens.
    private let feed: EventFeed
    /// The place in the feed, guarded by the lock.
    private let state: Mutex<State>

    /// The most events of a second; nil for all.
    private let mostOfSecond: Int?
    /// The time.
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - id: that of the client's last event; nil for none.
    ///   - mostOfSecond: the most events of a second, at least 1; nil for all.
    init(
        _ feed: EventFeed, behind id: String?, mostOfSecond: Int? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.feed, self.mostOfSecond, self.now) = (feed, mostOfSecond, now)
        let (next, greeting) = feed.begin(behind: id)
        state = Mutex(State(next: next, rest: greeting[...]))
    }

    /// Sets the function to call, on any thread, when there is data; called once, before the first `read`.
    func onArrival(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = body }
        feed.listen(self, body)
    }

    /// Ends the stream, after the last `read`, when the client has gone or the server ends.
    func close() {
        feed.leave(self)
        state.withLock { $0.wake = nil }
    }

    /// Returns the available bytes, at most this many.
    func read(atMost most: Int) -> Piece {
        state.withLock { state in
            if state.rest.isEmpty {
                var told: [UInt8] = []
                if let mostOfSecond {
                    told = beginSecond(of: mostOfSecond, &state)
                    if state.left == 0 {
                        let (next, isOver) = feed.latest
                        let isFirst = state.leftOut == 0 && next > state.next
                        state.leftOut += next - state.next
                        state.next = next
                        if isFirst, let end = state.endOfSecond { tellLater(end) }
                        return isOver ? .end : .nothing
                    }
                }
                let (text, next, isOver) = feed.read(
                    from: state.next, about: most, mostEvents: mostOfSecond == nil ? .max : state.left)
                state.left -= next - state.next
                state.next = next
                if isOver, told.isEmpty { return .end }
                let all = told + text
                if all.isEmpty {
                    // A connection woken for nothing sends a sign of life, to find out whether anybody listens.
                    defer { state.isFresh.toggle() }
                    return state.isFresh ? .nothing : .bytes(Array(":\n\n".utf8))
                }
                state.rest = all[...]
                state.isFresh = true
            }
            let piece = Array(state.rest.prefix(most))
            state.rest = state.rest.dropFirst(most)
            return .bytes(piece)
        }
    }

    /// Wakes the connection at the end of a second, so that the client hears how many events it did not get, although none may follow.
    private func tellLater(_ end: ContinuousClock.Instant) {
        Task { [weak self] in
            try? await Task.sleep(until: end, clock: .continuous)
            self?.state.withLock(\.wake)?()
        }
    }

    /// Begins the next second if it is time; returns how many events were left out in the last one, as an event, empty for none.
    private func beginSecond(of most: Int, _ state: inout State) -> [UInt8] {
        let now = now()
        if let end = state.endOfSecond, now < end { return [] }
        (state.endOfSecond, state.left) = (now + .seconds(1), most)
        defer { state.leftOut = 0 }
        return state.leftOut == 0 ? [] : EventFeed.text("more", ["count": Value(state.leftOut)], id: nil)
    }
}
