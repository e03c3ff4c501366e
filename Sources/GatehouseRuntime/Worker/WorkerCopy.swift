// SPDX-License-Identifier: Apache-2.0

private import Dispatch
package import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// A copy of a worker's state after certain orders, which somebody waits for.
package final class WorkerCopy: Sendable {
    /// The copy; nil before it has come.
    private let state = Mutex<Value?>(nil)
    /// Signalled when it has.
    private let hasCome = DispatchSemaphore(value: 0)

    /// Hands over the copy; called at most once.
    func tell(_ state: Value) {
        self.state.withLock { $0 = state }
        hasCome.signal()
    }

    /// Waits for the copy, which comes when the worker has carried out all orders before; called once.
    ///
    /// - Throws: that it has not come in time.
    package func value(within patience: Duration) throws(CodingFailure) -> Value {
        guard hasCome.wait(timeout: .now() + patience / .seconds(1)) == .success,
            let state = state.withLock({ $0 })
        else {
            throw CodingFailure(
                pointer: .whole, expected: "the state of its worker",
                found: "no answer within \(patience.inSeconds)")
        }
        return state
    }
}
