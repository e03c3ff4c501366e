// SPDX-License-Identifier: Apache-2.0

public import Gatehouse
internal import GatehouseValue

/// Runs a plugin, or the parts of a store, and holds them to what a test expects.
///
/// ```swift
/// let store = try TestStore(WindowedCounter.self, settings: ["seconds": 10])
/// try store.send(.seen(key: "a")) { $0.counts = ["a": 1] }
/// store.advance(by: .seconds(9))
/// try store.send(.seen(key: "a")) { $0.counts = ["a": 2] }
/// store.advance(by: .seconds(1))
/// try await store.receive(.ended)
/// try await store.receive(.counted(counts: ["a": 2])) { $0.counts = [:] }
/// ```
///
/// It is the production engine that runs: interceptors, middlewares, reducers, effects and queue are the ones of `Store`. Only two
/// things are the test's. The tasks of effects run on the test's own thread, inside the calls of this store, so that each
/// call returns when nothing is left to run, and nothing needs to sleep or to be repeated. And `clock` stands still until
/// `advance` moves it.
///
/// Each expectation is complete: an action that is emitted must be received before the next is sent, a change of the state
/// must be told by the closure, effects must have ended at the end, and `finish` must be called there. Without
/// `isExhaustive` only what is said is looked at. What does not hold is thrown as a `TestFailure`, whose text names the place.
///
/// Used by one task at a time.
public final class TestStore<Action: Sendable, State: Sendable> {
    /// The time of the store, at zero.
    public let clock: ManualClock
    /// Whether everything that happens must be expected.
    public var isExhaustive = true
    /// How long `receive` and `finish` wait, in real time, for what happens outside; only a test that fails takes so long.
    public var limit = Duration.seconds(5)

    /// Who runs the tasks of effects.
    let executor: TestExecutor
    /// The record of the actions that have passed.
    let inbox: TestInbox<Action, State>
    /// The store under test.
    let subject: TestSubject<Action, State>
    /// The state that the test knows of.
    var known: State
    /// Whether nothing is to be told when this goes: it was told, or the test has failed already.
    private var isOver = false
    /// The place in the source at which the test made the store.
    private let beginning: TestPlace

    /// A test of a subject, which runs its effects on `executor` and tells the inbox what passes.
    init(
        _ subject: TestSubject<Action, State>, clock: ManualClock, executor: TestExecutor,
        inbox: TestInbox<Action, State>, at place: TestPlace
    ) {
        self.subject = subject
        self.clock = clock
        self.executor = executor
        self.inbox = inbox
        beginning = place
        known = subject.state()
        subject.activity.onIdle { executor.notify() }
    }

    deinit {
        guard isExhaustive, !isOver, let left = leftOver() else { return }
        StandardError.report(TestFailure("\(left), and finish() was not called", at: beginning))
    }

    // MARK: - Sending

    /// Dispatches an action, and returns when it is processed with all that follows without waiting for something outside.
    ///
    /// The closure makes the state before the action into the one that its reducers leave; none for an action that changes no
    /// state. What follows from the action is told when it is received.
    ///
    /// - Throws: `TestFailure` for another state, and for emitted actions that nobody has received.
    public func send(
        _ action: Action, file: String = #fileID, function: String = #function, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        try send(
            action, from: ActionSource(file: file, function: function, line: line, info: nil), file: file,
            line: line, change)
    }

    /// The same on behalf of another place, which is what middlewares are told.
    public func send(
        _ action: Action, from source: ActionSource, file: String = #fileID, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        try send(subject.show(action), from: source, at: TestPlace(file: file, line: line), change) {
            try subject.dispatch(action, source)
        }
    }

    /// All of the above; `dispatch` hands over the action that messages call `shown`.
    func send(
        _ shown: String, from source: ActionSource, at place: TestPlace,
        _ change: (inout State) throws -> Void, by dispatch: () throws -> Void
    ) throws {
        if isExhaustive, let left = leftOver() {
            throw failure("\(left); receive that before sending \(shown)", at: place)
        }
        settle()
        if !isExhaustive { known = subject.state() }
        inbox.announce(source)
        try dispatch()
        // Waits for its turn: another thread may be processing what came from outside.
        let now = subject.state()
        let after = inbox.takeSent()?.state ?? now
        settle()
        try compare(after, with: change, of: shown, at: place)
    }

    // MARK: - Time, state and end

    /// Moves the clock from one deadline to the next up to the end of a duration, and lets everything run that wakes.
    public func advance(by duration: Duration) {
        settle()
        let target = clock.now.advanced(by: duration)
        while let next = clock.nextDeadline, next <= target {
            clock.advance(by: clock.now.duration(to: next))
            settle()
        }
        clock.advance(by: clock.now.duration(to: target))
    }

    /// Takes all that was emitted since the last that was received, in order; for tests that look at many at once.
    ///
    /// The state as it is then counts as told.
    public func takeEmitted() -> [DispatchedAction<Action>] {
        takeEntries().compactMap { entry in
            entry.action.map { DispatchedAction($0, dispatcher: entry.source) }
        }
    }

    /// The same with all that is known of them.
    func takeEntries() -> [TestInbox<Action, State>.Entry] {
        settle()
        known = subject.state()
        return inbox.takeAllEmitted()
    }

    /// The lines that a plugin has logged, each with its level in front: `info: still waiting`.
    public var log: [String] { inbox.lines }

    /// How often reducers have said that they changed the state.
    public var stateChanges: Int { subject.changes() }

    /// The state between two actions.
    public var state: State { subject.state() }

    /// How many effects are running, those in the background included.
    public var runningEffects: Int {
        settle()
        return subject.activity.running
    }

    /// Tells that the state has changed since the last action that was sent or received, as an action does that an interceptor
    /// kept and let pass later.
    ///
    /// - Throws: `TestFailure` when it is another state.
    public func expectState(
        file: String = #fileID, line: UInt = #line, _ change: (inout State) throws -> Void
    ) throws {
        settle()
        try compare(subject.state(), with: change, of: "that moment", at: TestPlace(file: file, line: line))
    }

    /// What the subject could not read or write since it was asked last, each in one sentence.
    public func takeProblems() -> [String] { inbox.takeProblems() }

    /// Asks the run to end: effects are cancelled except those that finish, and what is to be said at the end is emitted.
    public func stop() {
        settle()
        subject.stop()
        settle()
    }

    /// Ends the test: waits for effects, those in the background apart.
    ///
    /// - Throws: `TestFailure` for what was not received, for a state that nobody told, and for effects that do not end by
    ///   themselves, such as those that sleep until the clock is moved.
    public nonisolated(nonsending) func finish(file: String = #fileID, line: UInt = #line) async throws {
        let place = TestPlace(file: file, line: line)
        defer { isOver = true }
        guard isExhaustive else { return }
        try await awaitEffects(at: place)
        if let left = leftOver() { throw failure("\(left) at the end", at: place) }
        try compare(subject.state(), with: { _ in }, of: "the last action", at: place)
    }

    /// Waits until no effect is running, those in the background apart.
    nonisolated(nonsending) func awaitEffects(at place: TestPlace) async throws {
        let deadline = ContinuousClock.now.advanced(by: limit)
        settle()
        while subject.activity.foreground > 0, mayEmit, await wait(until: deadline) { settle() }
        guard subject.activity.foreground > 0 else { return }
        throw failure("expected all effects to have ended, found that \(whatRuns())", at: place)
    }

    // MARK: - Implementation details

    /// Runs what can run, until nothing can.
    func settle() { executor.runAll() }

    /// Whether an effect may still emit without the clock being moved: each sleeper is one effect at most.
    var mayEmit: Bool { subject.activity.running > clock.sleepers }

    /// Waits for news of the executor; returns whether there is time left.
    nonisolated(nonsending) func wait(until deadline: ContinuousClock.Instant) async -> Bool {
        let timer = Task { [executor] in
            try await Task.sleep(until: deadline, clock: .continuous)
            executor.notify()
        }
        await executor.news()
        timer.cancel()
        return ContinuousClock.now < deadline
    }

    /// Why nothing comes, for a message.
    func whatRuns() -> String {
        let running = subject.activity.running
        let sleepers = clock.sleepers
        guard running > 0 else { return "no effect is running" }
        let effects = running == 1 ? "1 effect is running" : "\(running) effects are running"
        guard running <= sleepers, let next = clock.nextDeadline else {
            return "\(effects), which did not end within \(limit)"
        }
        let rest = clock.now.duration(to: next)
        return "\(effects), asleep until the clock has moved by \(rest); call advance(by:)"
    }

    /// What has happened and nobody has expected; nil for nothing.
    func leftOver() -> String? {
        let problems = inbox.takeProblems()
        guard problems.isEmpty else { return problems.joined(separator: "; ") }
        let emitted = inbox.emitted.filter { $0.action != nil }.map(shown)
        return emitted.isEmpty ? nil : "expected nothing more, found \(emitted.joined(separator: ", "))"
    }

    /// An action as messages show it: as it passed, where that can be written.
    func shown(_ entry: TestInbox<Action, State>.Entry) -> String {
        if case .success(let wire)? = entry.wire { return wire.json() }
        return entry.action.map(subject.show) ?? "an action that cannot be read or written"
    }

    /// Compares a state with the one that the test makes out of what it knows.
    func compare(
        _ found: State, with change: (inout State) throws -> Void, of moment: String, at place: TestPlace
    ) throws {
        var expected = isExhaustive ? known : found
        try change(&expected)
        known = found
        let differences = subject.differences(expected, found)
        guard !differences.isEmpty else { return }
        throw failure(
            "expected another state after \(moment):\n"
                + differences.map { "    \($0)" }.joined(separator: "\n"), at: place)
    }

    /// A failure, after which nothing more need be told.
    func failure(_ text: String, at place: TestPlace) -> TestFailure {
        isOver = true
        return TestFailure(text, at: place)
    }
}
