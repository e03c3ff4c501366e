// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// A turn in the drain that somebody on the event loop waits for, but not for ever.
///
/// Who waits too long is told so; a turn that has not come by then does nothing.
final class DrainCall<Success: Sendable>: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// Whether the turn has come.
        var hasBegun = false
        /// What came of it; nil before its end.
        var result: Result<Success, ControlError>?
        /// Who waits.
        var waiter: CheckedContinuation<Result<Success, ControlError>, Never>?
    }

    /// What is known so far.
    private let state = Mutex(State())

    /// A turn that has not come.
    init() {}

    /// Whether the turn is still wanted; called once, in the drain.
    func begin() -> Bool {
        state.withLock { state in
            state.hasBegun = true
            return state.result == nil
        }
    }

    /// Ends the turn; the first end counts.
    func finish(_ result: Result<Success, ControlError>) {
        expire { _ in result }
    }

    /// Ends the turn; `result` is told whether the turn had come, and not called when there is an end already.
    func expire(_ result: (Bool) -> Result<Success, ControlError>) {
        let (waiter, end) = state.withLock { state in
            if state.result == nil { state.result = result(state.hasBegun) }
            return (state.waiter.take(), state.result)
        }
        if let end { waiter?.resume(returning: end) }
    }

    /// What came of the turn, once there is an end; asked for once.
    func result() async -> Result<Success, ControlError> {
        await withCheckedContinuation { waiter in
            let end = state.withLock { state in
                if state.result == nil { state.waiter = waiter }
                return state.result
            }
            if let end { waiter.resume(returning: end) }
        }
    }
}
