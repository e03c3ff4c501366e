// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
internal import GatehouseValue
private import Synchronization

/// What passes a store under test: what the test sent, what was emitted, the state after each of them.
///
/// Written in the drain of the store, which may be on any thread, and read by the test.
final class TestInbox<Action: Sendable, State: Sendable>: Sendable {
    /// One action, and the state that its reducers left.
    struct Entry: Sendable {
        /// What passed; nil for what the test sent and the subject does not read.
        let action: Action?
        /// What passed as JSON, or why it cannot be written; nil where actions have no such form.
        let wire: Result<Value, CodingFailure>?
        /// The source of the action.
        let source: ActionSource
        /// The state after it.
        let state: State
    }

    /// What is guarded by the lock.
    private struct Content {
        /// The sources of actions that the test sends, before they come.
        var announced: [ActionSource] = []
        /// The actions that the test has sent, in order.
        var sent: [Entry] = []
        /// What was emitted and not yet received.
        var emitted: [Entry] = []
        /// The lines that the subject logged.
        var lines: [String] = []
        /// The lines of JSON of all that has passed.
        var transcript: [String] = []
        /// What went wrong and was not yet taken.
        var problems: [String] = []
    }

    /// Everything that has passed, guarded by the lock.
    private let content = Lock(Content())
    /// Called when something was emitted, on any thread.
    private let onEmitted: @Sendable () -> Void

    /// An inbox through which nothing has passed.
    init(onEmitted: @escaping @Sendable () -> Void) { self.onEmitted = onEmitted }

    /// Says that the next action with this source is one that the test sends.
    func announce(_ source: ActionSource) { content.withLock { $0.announced.append(source) } }

    /// Takes note of an action, and returns whether it was emitted; called in the drain.
    ///
    /// - Parameter wire: the action in JSON, or why it cannot be written; nil where actions have no such form.
    @discardableResult
    func note(
        _ action: Action?, asWire wire: Result<Value, CodingFailure>? = nil, from source: ActionSource,
        leaving state: State
    ) -> Bool {
        let isEmitted = content.withLock { content in
            let entry = Entry(action: action, wire: wire, source: source, state: state)
            let index = content.announced.firstIndex(of: source)
            if case .success(let wire)? = wire {
                content.transcript.append("{\"\(index == nil ? "emitted" : "sent")\":\(wire.json())}")
            }
            if let index {
                content.announced.remove(at: index)
                content.sent.append(entry)
                return false
            }
            content.emitted.append(entry)
            return true
        }
        if isEmitted { onEmitted() }
        return isEmitted
    }

    /// Takes note of a problem; called in the drain.
    func note(problem: String) { content.withLock { $0.problems.append(problem) } }

    /// Takes note of a line that was logged; callable from any thread.
    func note(line: String) { content.withLock { $0.lines.append(line) } }

    /// What passed that has a form in JSON, a line each.
    var transcript: [String] { content.withLock { $0.transcript } }

    /// The lines that were logged.
    var lines: [String] { content.withLock { $0.lines } }

    /// The action that the test sent last.
    func takeSent() -> Entry? { content.withLock { $0.sent.popLast() } }

    /// All that was emitted, once.
    func takeAllEmitted() -> [Entry] {
        content.withLock { content in
            defer { content.emitted = [] }
            return content.emitted
        }
    }

    /// The next that was emitted.
    func takeEmitted() -> Entry? { content.withLock { $0.emitted.isEmpty ? nil : $0.emitted.removeFirst() } }

    /// All that was emitted and not received, which stays.
    var emitted: [Entry] { content.withLock { $0.emitted } }

    /// All that went wrong, once.
    func takeProblems() -> [String] {
        content.withLock { content in
            defer { content.problems = [] }
            return content.problems
        }
    }
}
