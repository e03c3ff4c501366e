// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// Stands where a drain has a body, and nothing is put into the drain.
final class NoBody: DrainBody {
    var isReducing: Bool { false }
    func process(_ element: Int) {}
    func noticeDispatchInReducer(_ element: Int) {}
}
