// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseSDK

/// Accepted actions that wait for a journal to commit them before they are dispatched.
///
/// Belongs to the thread that reads.
package struct AcceptedActions {
    /// One waiting action.
    private struct Accepted {
        /// The action.
        let action: AnyAction
        /// The source of the action.
        let source: ActionSource
        /// The range of its line among the bytes; nil for a line too long to keep, or one that is the payload alone.
        let line: Range<Int>?
        /// The writer's id of the action; nil where it has none.
        let id: String?
    }

    /// The most actions, bytes of lines, and time that a batch waits for more: a constant sender would otherwise always wait for the
    /// maximum.
    private static let most = (actions: 1_024, bytes: 256 << 10, wait: Duration.milliseconds(20))
    /// The number of actions between looks at the clock.
    private static let look = 16

    /// The actions, in the order they were read.
    private var actions: [Accepted] = []
    /// The lines, one after the other.
    private var bytes: [UInt8] = []
    /// When the first action came.
    private var start = ContinuousClock.now

    /// Creates an empty batch.
    package init() {}

    /// The number of waiting actions.
    package var count: Int { actions.count }

    /// Whether nothing waits.
    package var isEmpty: Bool { actions.isEmpty }

    /// Whether to commit the waiting actions before reading more.
    ///
    /// - Parameter now: the time; evaluated only now and then.
    package func isFull(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
        if actions.count >= Self.most.actions || bytes.count >= Self.most.bytes { return true }
        return actions.count % Self.look == 0 && !actions.isEmpty
            && start.duration(to: now()) >= Self.most.wait
    }

    /// Adds an action, and copies the line it was read from, if it was.
    package mutating func add(
        _ action: AnyAction, _ text: ActionText?, from source: ActionSource, id: String?,
        at now: @autoclosure () -> ContinuousClock.Instant = .now
    ) {
        var line: Range<Int>?
        if let text, !text.isPayload, unsafe !text.bytes.isEmpty {
            let start = bytes.count
            unsafe bytes.append(contentsOf: text.bytes)
            line = start..<bytes.count
        }
        if actions.isEmpty { start = now() }
        actions.append(Accepted(action: action, source: source, line: line, id: id))
    }

    /// Returns the inputs for the journal; the first has this number.
    package func inputs(from first: UInt64) -> [JournalInput] {
        actions.enumerated().map { place, accepted in
            let number = first + UInt64(place)
            return if let line = accepted.line {
                JournalInput(
                    number: number, source: accepted.source, line: Array(bytes[line]), id: accepted.id)
            } else {
                JournalInput(
                    number: number, source: accepted.source, action: accepted.action, id: accepted.id)
            }
        }
    }

    /// Passes on all actions in order, each with its text, which is valid during the call; leaves the batch empty.
    package mutating func takeAll(_ body: (AnyAction, ActionText, ActionSource) -> Void) {
        let taken = actions
        actions.removeAll(keepingCapacity: true)
        unsafe bytes.withUnsafeBytes { bytes in
            for accepted in taken {
                let line = unsafe accepted.line.map { unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]) }
                let text = unsafe ActionText(
                    bytes: line ?? UnsafeRawBufferPointer(start: nil, count: 0), isPayload: false)
                body(accepted.action, text, accepted.source)
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
