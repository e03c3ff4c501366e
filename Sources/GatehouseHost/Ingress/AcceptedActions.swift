// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Actions that were read and may come in, and wait for a journal to commit them before they are dispatched.
///
/// Belongs to the thread that reads.
struct AcceptedActions {
    /// One action that waits.
    private struct Accepted {
        /// The action.
        let action: AnyAction
        /// Where it came from.
        let source: ActionSource
        /// Where its line lies among the bytes; nil for one that was too long to keep, or is the payload alone.
        let line: Range<Int>?
        /// What its writer calls it; nil where it has no name.
        let id: String?
    }

    /// So many actions, or bytes of lines, are committed together, and none waits longer for others: whoever sends all the time would
    /// wait for the most.
    private static let most = (actions: 1_024, bytes: 256 << 10, wait: Duration.milliseconds(20))
    /// At each so many actions the clock is looked at.
    private static let look = 16

    /// In the order in which they were read.
    private var actions: [Accepted] = []
    /// Their lines, one behind the other.
    private var bytes: [UInt8] = []
    /// When the first of them came.
    private var start = ContinuousClock.now

    /// Nothing that waits.
    init() {}

    /// How many wait.
    var count: Int { actions.count }

    /// Whether nothing waits.
    var isEmpty: Bool { actions.isEmpty }

    /// Whether what waits is to be committed before more is read.
    ///
    /// - Parameter now: the time; looked at only now and then.
    func isFull(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
        if actions.count >= Self.most.actions || bytes.count >= Self.most.bytes { return true }
        return actions.count % Self.look == 0 && !actions.isEmpty
            && start.duration(to: now()) >= Self.most.wait
    }

    /// Takes an action, and copies the line it was read from.
    mutating func add(
        _ action: AnyAction, _ text: ActionText, from source: ActionSource, id: String?,
        at now: @autoclosure () -> ContinuousClock.Instant = .now
    ) {
        var line: Range<Int>?
        if !text.isPayload, unsafe !text.bytes.isEmpty {
            let start = bytes.count
            unsafe bytes.append(contentsOf: text.bytes)
            line = start..<bytes.count
        }
        if actions.isEmpty { start = now() }
        actions.append(Accepted(action: action, source: source, line: line, id: id))
    }

    /// What a journal commits of them; the first has this number.
    func inputs(from first: UInt64) -> [JournalInput] {
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

    /// Hands all of them over in order, each with its text, which is there during the call; nothing waits afterwards.
    mutating func takeAll(_ body: (AnyAction, ActionText, ActionSource) -> Void) {
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
