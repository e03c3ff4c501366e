// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Lets one instance have only a few of its requests to the host's control under way, and the others wait for these, in order.
///
/// An instance may ask on behalf of anybody who reaches it, such as clients of an HTTP port. However many they are, what an
/// operator asks for waits for a few of their requests and never for all.
final class ControlTurns: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// How many more may begin.
        var free: Int
        /// Those that may not yet, oldest first.
        var waiting: [PendingAnswer<Void>] = []
    }

    /// How many requests are under way.
    private let state: Mutex<State>

    /// Turns for so many requests at once.
    init(atOnce most: Int) { state = Mutex(State(free: most)) }

    /// Waits for a turn, and keeps it until the body has ended.
    func take<Success, Failure: Error>(
        _ body: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let turn = PendingAnswer<Void>()
        state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                turn.finish(())
            } else {
                state.waiting.append(turn)
            }
        }
        await turn.value()
        defer { leave() }
        return try await body()
    }

    /// Hands a turn to the next one.
    private func leave() {
        let next = state.withLock { state -> PendingAnswer<Void>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.finish(())
    }
}
