// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Synchronization

/// Tells the thread that dispatches which inputs have something to read; the event loop is told by the kernel, and says so here.
///
/// What waits to be read waits in the kernel: each input is named once, and again only when the thread has asked for it.
final class ReadyInputs: Sendable {
    /// The events that the loop tells of.
    enum Event: Sendable {
        /// There is one more.
        case opened(OpenedInput)
        /// The one with this number can be read, or its answers written.
        case ready(Int)
    }

    /// What is guarded by the lock.
    private struct State {
        /// What the thread has not taken.
        var events: [Event] = []
        /// The last number that was given to an input.
        var lastNumber = 0
    }

    /// The inputs that are known, guarded by the lock.
    private let state = Mutex(State())
    /// The pipe that wakes the thread which waits for input.
    private let attention: WakePipe

    /// No input yet; the thread that dispatches waits at the pipe.
    init(waking attention: WakePipe) { self.attention = attention }

    /// The number of the next input; no two have the same one.
    func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Says something to the thread.
    func add(_ event: Event) {
        let isFirst = state.withLock { state in
            state.events.append(event)
            return state.events.count == 1
        }
        if isFirst { attention.wake() }
    }

    /// What was said since the last time, in order.
    func take() -> [Event] {
        state.withLock { state in
            defer { state.events.removeAll(keepingCapacity: true) }
            return state.events
        }
    }
}

/// An input as the event loop has opened it.
struct OpenedInput: Sendable {
    /// What the loop calls it.
    let number: Int
    /// Where lines come from; the loop closes it.
    let descriptor: Int32
    /// Its name in messages.
    let name: String
    /// The kind of input, which says when it ends.
    let kind: LineReader.Kind
    /// Whether its writer is told what was done.
    let acknowledges: Bool
    /// What it is a part of.
    let account: InputAccount
    /// Waits until it can be read; nil for what always can.
    let watch: DescriptorWatch?
    /// Closes the input, on the event loop.
    let close: @EventLoop @Sendable () -> Void
}
