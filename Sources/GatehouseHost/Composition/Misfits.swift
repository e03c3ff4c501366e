// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Payloads that did not fit, from the plugin that noticed to the instance that knows where the action came from.
///
/// Used in the drain.
final class Misfits {
    /// Types and failures, oldest first, until they are taken.
    private var waiting: [(ActionType, CodingFailure)] = []

    /// None.
    init() {}

    /// Whether there is nothing to tell.
    var isEmpty: Bool { waiting.isEmpty }

    /// Notes one.
    func add(_ type: ActionType, _ failure: CodingFailure) {
        waiting.append((type, failure))
    }

    /// Gives all that were noted, and forgets them.
    func takeAll() -> [(ActionType, CodingFailure)] {
        defer { waiting = [] }
        return waiting
    }
}
