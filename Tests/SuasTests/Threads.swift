// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Threads of the operating system; tests that block must not use those that run tasks.
enum Threads {
    /// Starts a thread and returns what tells that it has ended.
    static func start(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            ended.signal()
        }
        return ended
    }

    /// Runs the body on several threads at once, with the thread's index, and waits for all of them.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let ends = (0..<count).map { index in start { body(index) } }
        for end in ends { end.wait() }
    }
}
