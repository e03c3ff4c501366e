// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Synchronization

/// The messages of other threads to one, and what wakes it.
final class Mailbox<Message: Sendable>: Sendable {
    /// The messages not taken yet.
    private let messages = Mutex<[Message]>([])
    /// Wakes the thread.
    let pipe = WakePipe()

    /// Sends a message; from any thread.
    func send(_ message: Message) {
        pipe.wake { messages.withLock { $0.append(message) } }
    }

    /// Takes the messages since the last time.
    func takeAll() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
