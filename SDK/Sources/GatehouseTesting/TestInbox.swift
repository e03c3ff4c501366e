// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
internal import GatehouseValue
private import Synchronization

/// Records the actions of a store under test: those that the test sent, those emitted, and the state after
/// each.
///
/// Written in the drain of the store, which may be on any thread, and read by the test.
final class TestInbox<Action: Sendable, State: Sendable>: Sendable {
    /// One action, and the state that its reducers left.
    struct Entry: Sendable {
        /// The action; nil for one that the test sent and the subject cannot read.
        let action: Action?
        /// The action as JSON, or the reason that it cannot be written; nil if actions have no such form.
        let wire: Result<Value, CodingFailure>?
        /// The source of the action.
        let source: ActionSource
        /// The state after it.
        let state: State
    }

    /// The state that the lock guards.
    private struct Content {
        /// The sources of actions that the test sends, before they arrive.
        var announced: [ActionSource] = []
        /// The actions that the test has sent, in order.
        var sent: [Entry] = []
        /// The actions emitted and not yet received.
        var emitted: [Entry] = []
        /// The lines that the subject logged.
        var lines: [String] = []
        /// All recorded actions, as lines of JSON.
        var transcript: [String] = []
        /// The problems not yet taken.
        var problems: [String] = []
    }

    /// All records, guarded by the lock.
    private let content = Lock(Content())
    /// Runs the tasks of the store's effects; told of each emitted action.
    let executor = TestExecutor()

    /// Announces that the next action with this source is one that the test sends.
    func announce(_ source: ActionSource) { content.withLock { $0.announced.append(source) } }

    /// Records an action, and returns whether it was emitted; called in the drain.
    ///
    /// - Parameter wire: the action in JSON, or the reason that it cannot be written; nil if actions have no
    ///   such form.
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
        if isEmitted { executor.notify() }
        return isEmitted
    }

    /// Records a problem; called in the drain.
    func note(problem: String) { content.withLock { $0.problems.append(problem) } }

    /// Records a log line; callable from any thread.
    func note(line: String) { content.withLock { $0.lines.append(line) } }

    /// The recorded actions that have a form in JSON, a line each.
    var transcript: [String] { content.withLock { $0.transcript } }

    /// The log lines.
    var lines: [String] { content.withLock { $0.lines } }

    /// Takes the action that the test sent last.
    func takeSent() -> Entry? { content.withLock { $0.sent.popLast() } }

    /// Takes all emitted actions.
    func takeAllEmitted() -> [Entry] { content.withLock { exchange(&$0.emitted, with: []) } }

    /// Takes the next emitted action.
    func takeEmitted() -> Entry? { content.withLock { $0.emitted.isEmpty ? nil : $0.emitted.removeFirst() } }

    /// All emitted actions not yet received; they stay.
    var emitted: [Entry] { content.withLock { $0.emitted } }

    /// Takes all problems.
    func takeProblems() -> [String] { content.withLock { exchange(&$0.problems, with: []) } }
}
