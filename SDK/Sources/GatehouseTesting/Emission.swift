// SPDX-License-Identifier: Apache-2.0

public import Gatehouse

/// Runs one effect by itself until it has ended, and returns the actions it emitted, in order.
///
/// ```swift
/// let clock = ManualClock()
/// let effect =
///     Effect<Void, Int>.just(1) <> .just(2).delay(for: .seconds(1), clock: clock) <> .task { 3 }
/// #expect(try await emissions(of: effect, advancing: clock, by: .seconds(1)) == [1, 3, 2])
/// ```
///
/// Its functions receive `dependencies`. The clock that it waits on, if any, is moved by `duration`, deadline by deadline. No
/// other code may hold values that the effect captures, unless they are `Sendable`.
///
/// - Throws: `TestFailure` if it does not end by itself; one in the background need not.
public nonisolated(nonsending) func emissions<Dependencies, Action: Sendable>(
    of effect: sending Effect<Dependencies, Action>, with dependencies: sending Dependencies,
    advancing clock: ManualClock? = nil, by duration: Duration = .zero, file: String = #fileID,
    line: UInt = #line
) async throws -> [Action] {
    let inbox = TestInbox<Emission<Action>, Int>()
    let lifted = effect.map { Emission.emitted($0) }
    let middleware = EffectMiddleware<Emission<Action>, Emission<Action>, Int, Dependencies>(
        dependencies: dependencies,
        onAction: { action, _, _ in if case .start = action { lifted } else { .doNothing } })
    let subject = TestSubject(
        StoreParts(
            initialState: 0, reducer: .identity, middleware: middleware,
            interceptors: [.recorder { inbox.note($0, from: $1, leaving: $2) }]),
        inbox: inbox, areSame: { _, _ in false }, differences: { _, _ in [] })
    let place = TestPlace(file: file, line: line)
    let test = TestStore(subject, clock: clock ?? ManualClock(), inbox: inbox, at: place)
    test.isExhaustive = false
    try test.send(.start, file: file, line: line)
    test.advance(by: duration)
    try await test.awaitEffects(at: place)
    return test.takeEmitted().compactMap { $0.action.emitted }
}

/// Runs an effect without dependencies; see the form with them.
public nonisolated(nonsending) func emissions<Action: Sendable>(
    of effect: sending Effect<Void, Action>, advancing clock: ManualClock? = nil,
    by duration: Duration = .zero, file: String = #fileID, line: UInt = #line
) async throws -> [Action] {
    try await emissions(of: effect, with: (), advancing: clock, by: duration, file: file, line: line)
}

/// The actions of a store that runs one effect.
enum Emission<Action: Sendable>: Sendable {
    /// Starts the effect.
    case start
    /// The effect has emitted an action.
    case emitted(Action)

    /// The emitted action; nil for the start.
    var emitted: Action? {
        if case .emitted(let action) = self { action } else { nil }
    }
}
