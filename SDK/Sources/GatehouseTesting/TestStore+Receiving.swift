// SPDX-License-Identifier: Apache-2.0

extension TestStore {
    /// Waits for the next emitted action, and compares it with the expected one.
    ///
    /// It returns at once if the action has been emitted, as everything is that does not wait for something outside.
    ///
    /// The closure describes the change of the state as for `send`.
    ///
    /// - Throws: `TestFailure` for another action or state, or if nothing is running that could still emit one.
    public nonisolated(nonsending) func receive(
        _ action: Action, file: String = #fileID, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) async throws {
        let shown = subject.show(action)
        _ = try await receive(
            expecting: shown, at: TestPlace(file: file, line: line),
            { $0.action.map { self.subject.areSame($0, action) } ?? false }, change)
    }

    /// Waits for the next emitted action, which must fulfil a condition, and returns it.
    @discardableResult
    public nonisolated(nonsending) func receive(
        where isExpected: (Action) -> Bool, file: String = #fileID, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) async throws -> Action {
        try await receive(
            expecting: "an action that fulfils the condition", at: TestPlace(file: file, line: line),
            { $0.action.map(isExpected) ?? false }, change)
    }

    /// The common implementation of the functions above.
    nonisolated(nonsending) func receive(
        expecting expected: String, at place: TestPlace,
        _ isExpected: (TestInbox<Action, State>.Entry) -> Bool, _ change: (inout State) throws -> Void
    ) async throws -> Action {
        while true {
            guard let entry = await nextEmitted() else {
                throw failure("expected \(expected), found that \(whatRuns())", at: place)
            }
            if let action = entry.action, isExpected(entry) {
                try compare(entry.state, with: change, of: shown(entry), at: place)
                return action
            }
            if isExhaustive {
                // An action that its own type cannot read was reported as a problem.
                let found = [shown(entry)] + inbox.takeProblems()
                throw failure("expected \(expected), found \(found.joined(separator: "; "))", at: place)
            }
            known = entry.state
        }
    }

    /// Returns the next emitted action; nil if none can come any more, or none came within the limit.
    private nonisolated(nonsending) func nextEmitted() async -> TestInbox<Action, State>.Entry? {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while true {
            // Evaluated first: an action emitted before the last effect ends is found below.
            let mayEmit = mayEmit
            settle()
            if let entry = inbox.takeEmitted() { return entry }
            guard mayEmit, await wait(until: deadline) else { return inbox.takeEmitted() }
        }
    }
}
