// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Stands for code that must be called on the main thread, and checks it.
@MainActor
enum Page {
    /// How often it was called.
    private static var calls = 0

    /// Counts a call.
    static func count() -> Int {
        precondition(Thread.isMainThread, "expected the main thread")
        dispatchPrecondition(condition: .onQueue(.main))
        calls += 1
        return calls
    }
}
