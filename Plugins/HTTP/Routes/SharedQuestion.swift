// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A question to the host without parameters, whose answer all clients share that wait for it.
///
/// However many ask, the host answers one at a time and prepares at most one more, so that operators at its control socket
/// do not wait behind them. No client gets an answer that was begun before it asked.
actor SharedQuestion {
    /// What the host answers.
    typealias Answer = Result<Value, HostControl.Failure>

    /// Asks the host.
    private let ask: @Sendable () async -> Answer
    /// The answer that the host is making, or has made last.
    private var current: Task<Answer, Never>?
    /// The answer after that one, for those who came meanwhile; nil for nobody.
    private var next: Task<Answer, Never>?

    /// A question that has not been asked.
    init(_ method: String, to control: HostControl) {
        ask = {
            do throws(HostControl.Failure) {
                return .success(try await control.request(method))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns an answer that the host begins to make after this call.
    func answer() async -> Answer {
        let task =
            next
            ?? Task { [before = current] in
                _ = await before?.value
                (current, next) = (next, nil)
                return await ask()
            }
        next = task
        return await task.value
    }
}
