// SPDX-License-Identifier: Apache-2.0

import Suas
import Synchronization

@testable import Gatehouse

/// What a store reported, in order.
final class Problems: Sendable {
    private let kept = Lock<[StoreProblem]>([])

    /// Adds one; handed to a store as `onProblem`.
    var add: @Sendable (StoreProblem) -> Void {
        { [self] problem in kept.withLock { $0.append(problem) } }
    }

    /// The problems that were told so far.
    var all: [StoreProblem] { kept.withLock { $0 } }
}
