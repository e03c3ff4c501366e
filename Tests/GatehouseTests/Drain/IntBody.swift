// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// A body of numbers that does what a test wants with each.
final class IntBody: DrainBody, @unchecked Sendable {
    // @unchecked Sendable: `act` is a constant that is called in the drain only.

    /// What happens while an element is in hand.
    let act: @Sendable (Int) -> Void

    init(_ act: @escaping @Sendable (Int) -> Void) { self.act = act }

    var isReducing: Bool { false }
    func noticeDispatchInReducer(_ element: Int) {}
    func process(_ element: Int) { act(element) }
    static var name: String { "numbers" }
}

extension DrainQueue where Body == IntBody {
    /// A queue that tells about what it drops.
    static func numbers(
        _ limits: DrainLimits, onCut: @escaping @Sendable (DrainCut<Int>) -> Void = { _ in },
        onMisuse: @escaping @Sendable (Misuse) -> Void = { _ in }
    ) -> DrainQueue {
        DrainQueue(limits: limits, hooks: DrainHooks(onCut: onCut, onLate: { _ in }, onMisuse: onMisuse))
    }
}
