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

    /// The events that the thread has not taken.
    private let events = Mutex<[Event]>([])
    /// The last number given to an input.
    private let lastNumber = Atomic(0)
    /// The pipe that wakes the thread waiting for input.
    private let attention: WakePipe

    /// Creates an empty collection; the thread that dispatches waits at the pipe.
    package init(waking attention: WakePipe) { self.attention = attention }

    /// Returns a unique number for the next input.
    func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Reports once that an input can be read, after calling a closure on the loop.
    @EventLoop
    func watch(
        _ descriptor: Int32, _ number: Int, _ before: @escaping () -> Void = {}
    ) throws(SystemFailure) -> DescriptorWatch {
        try DescriptorWatch(descriptor, for: [.readable, .once]) { [self] _ in
            before()
            add(.ready(number))
        }
    }

    /// Adds an event for the thread.
    package func add(_ event: Event) {
        let isFirst = events.withLock { events in
            events.append(event)
            return events.count == 1
        }
        if isFirst { attention.wake() }
    }

    /// Takes the events since the last time, in order.
    package func take() -> [Event] {
        events.withLock { events in
            defer { events.removeAll(keepingCapacity: true) }
            return events
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
    /// The place of a connection among those of its socket, from 0, which its name shows, or of a file or pipe among the inputs; 0 for
    /// others.
    var place = 0
    /// The state of an input that another process has handed over; nil for others.
    var handed: HandedConnection?
    /// The account of the input.
    package let account: InputAccount
    /// Waits until it can be read; nil for an input that always can.
    let watch: DescriptorWatch?
    /// Closes the input, on the event loop.
    let close: @EventLoop @Sendable () -> Void
}
