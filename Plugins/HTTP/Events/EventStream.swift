// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One client's view of a feed: a body that grows while it listens; a slow reader loses events, and gets their number.
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
    }

    /// The feed, which lives while anybody listens.
    private let feed: EventFeed
    /// The place in the feed, guarded by the lock.
    private let state: Mutex<State>

    /// Creates a stream for a client whose last event has this id; nil for none.
    init(_ feed: EventFeed, behind id: String?) {
        self.feed = feed
        let (next, greeting) = feed.begin(behind: id)
        state = Mutex(State(next: next, rest: greeting[...]))
    }

    /// Sets the function to call, on any thread, when there is data; called once, before the first `read`.
    func onArrival(_ body: @escaping @Sendable () -> Void) { feed.listen(self, body) }

    /// Ends the stream, after the last `read`, when the client has gone or the server ends.
    func close() { feed.leave(self) }

    /// Returns the available bytes, at most this many.
    func read(atMost most: Int) -> Piece {
        state.withLock { state in
            if state.rest.isEmpty {
                let (text, next, isOver) = feed.read(from: state.next, about: most)
                state.next = next
                if isOver { return .end }
                if text.isEmpty {
                    // A connection woken for nothing sends a sign of life, to find out whether anybody listens.
                    defer { state.isFresh.toggle() }
                    return state.isFresh ? .nothing : .bytes(Array(":\n\n".utf8))
                }
                state.rest = text[...]
                state.isFresh = true
            }
            let piece = Array(state.rest.prefix(most))
            state.rest = state.rest.dropFirst(most)
            return .bytes(piece)
        }
    }
}
