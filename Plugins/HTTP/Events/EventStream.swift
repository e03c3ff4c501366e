// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What one client hears of a feed; who reads slowly loses events, and is told how many.
final class EventStream: HTTPStream {
    /// What is guarded by the lock.
    private struct State {
        /// The number of the event that comes next.
        var next: Int
        /// What is begun.
        var rest: ArraySlice<UInt8>
        /// Whether something was said since the connection was woken last.
        var isFresh = true
    }

    /// The feed, which lives as long as somebody listens.
    private let feed: EventFeed
    /// The place in the feed, guarded by the lock.
    private let state: Mutex<State>

    /// A client that has heard the event with this id last; nil for none.
    init(_ feed: EventFeed, behind id: String?) {
        self.feed = feed
        let (next, greeting) = feed.begin(behind: id)
        state = Mutex(State(next: next, rest: greeting[...]))
    }

    func onArrival(_ body: @escaping @Sendable () -> Void) { feed.listen(self, body) }

    func close() { feed.leave(self) }

    func read(atMost most: Int) -> HTTPStreamPiece {
        state.withLock { state in
            if state.rest.isEmpty {
                let (text, next, isOver) = feed.read(from: state.next, about: most)
                state.next = next
                if isOver { return .end }
                if text.isEmpty {
                    // Who was woken for nothing says that it lives, which finds out whether somebody still listens.
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
