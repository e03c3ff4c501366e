// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// A one-time signal that ends all pauses; callable from any thread.
final class StopSignal: Sendable {
    /// The contents of the lock.
    private struct Content {
        /// Whether the signal was given.
        var isGiven = false
        /// The pauses that go on.
        var pauses: Set<Task<Void, Never>> = []
    }

    /// Everything.
    private let content = Mutex(Content())

    /// Whether the signal was given.
    var isGiven: Bool { content.withLock { $0.isGiven } }

    /// Gives the signal.
    func give() {
        let pauses = content.withLock { content in
            content.isGiven = true
            return content.pauses
        }
        for pause in pauses { pause.cancel() }
    }

    /// Waits for a time, the signal, or cancellation of the task.
    func pause(_ duration: Duration, _ clock: HostClock) async {
        let pause = Task { _ = try? await clock.sleep(for: duration) }
        content.withLock { content in
            if content.isGiven { pause.cancel() } else { content.pauses.insert(pause) }
        }
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        content.withLock { _ = $0.pauses.remove(pause) }
    }
}
