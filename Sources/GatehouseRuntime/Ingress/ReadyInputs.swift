// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
private import Synchronization

/// Tells the dispatching thread which inputs can be read; the event loop learns that from the kernel, and adds it here.
///
/// Unread data waits in the kernel: each input is named once, and again only when the thread has asked for it.
package final class ReadyInputs: Sendable {
    /// An event from the loop.
    package enum Event: Sendable {
        /// An input was opened.
        case opened(OpenedInput)
        /// The input with this number can be read, or its answers written.
        case ready(Int)
    }

    /// The state guarded by the lock.
    private struct State {
        /// The events that the thread has not taken.
        var events: [Event] = []
        /// The last number given to an input.
        var lastNumber = 0
    }

    /// The events, guarded by the lock.
    private let state = Mutex(State())
    /// The pipe that wakes the thread waiting for input.
    private let attention: WakePipe

    /// Creates an empty collection; the thread that dispatches waits at the pipe.
    package init(waking attention: WakePipe) { self.attention = attention }

    /// Returns a unique number for the next input.
    func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Adds an event for the thread.
    package func add(_ event: Event) {
        let isFirst = state.withLock { state in
            state.events.append(event)
            return state.events.count == 1
        }
        if isFirst { attention.wake() }
    }

    /// Takes the events since the last time, in order.
    package func take() -> [Event] {
        state.withLock { state in
            defer { state.events.removeAll(keepingCapacity: true) }
            return state.events
        }
    }
}

/// An input opened by the event loop.
package struct OpenedInput: Sendable {
    /// The input's number.
    package let number: Int
    /// The descriptor of the lines; the loop closes it.
    let descriptor: Int32
    /// Its name in messages.
    let name: String
    /// The kind of input, which determines when it ends.
    package let kind: LineReader.Kind
    /// Whether its writer receives acknowledgements.
    let acknowledges: Bool
    /// The account of the input.
    package let account: InputAccount
    /// Waits until it can be read; nil for an input that always can.
    let watch: DescriptorWatch?
    /// Closes the input, on the event loop.
    let close: @EventLoop @Sendable () -> Void
}
