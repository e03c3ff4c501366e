// SPDX-License-Identifier: Apache-2.0

package import Gatehouse

/// Stands where a drain has a body, and nothing is put into the drain.
package final class NoBody: DrainBody {
    package var isReducing: Bool { false }
    package func process(_ element: Int) {}
    package func noticeDispatchInReducer(_ element: Int) {}

    /// A drain with this body, which knows the number of the action in hand.
    package static func drain() -> DrainQueue<NoBody> {
        DrainQueue(limits: DrainLimits(), hooks: DrainHooks(onCut: { _ in }, onLate: { _ in }))
    }
}
