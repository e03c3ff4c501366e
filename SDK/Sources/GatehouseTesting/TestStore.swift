// SPDX-License-Identifier: Apache-2.0

public import Gatehouse
internal import GatehouseValue

/// Runs a plugin, or the parts of a store, and checks them against a test's expectations.
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
/// It runs the production engine: interceptors, middlewares, reducers, effects and queue are those of `Store`. Only two things
/// belong to the test. The tasks of effects run on the test's own thread, inside the calls of this store, so each call returns
/// when nothing is left to run, and no test has to sleep or retry. And `clock` stands still until `advance` moves it.
///
/// Expectations are exhaustive: an emitted action must be received before the next is sent, the closure must describe every
/// change of the state, effects must have ended at the end, and `finish` must be called there. Without `isExhaustive` only
/// stated expectations are checked. A failed one is thrown as a `TestFailure`, whose text names the place.
///
/// Used by one task at a time.
public final class TestStore<Action: Sendable, State: Sendable> {
    /// The store's clock, which begins at zero.
    public let clock: ManualClock
    /// Whether everything that happens must be expected.
    public var isExhaustive = true
    /// How long `receive` and `finish` wait, in real time, for events outside; only a failing test takes that long.
    public var limit = Duration.seconds(5)

    /// The record of all actions.
    let inbox: TestInbox<Action, State>
    /// The store under test.
    let subject: TestSubject<Action, State>
    /// The state as the test knows it.
    var known: State
    /// Suppresses the report at deinitialization: `finish` was called, or the test has failed already.
    private var isOver = false
    /// The place in the source where the test created the store.
    private let beginning: TestPlace

    /// Tests a subject that records its actions in the inbox and runs its effects on the inbox's executor.
    init(
        _ subject: TestSubject<Action, State>, clock: ManualClock, inbox: TestInbox<Action, State>,
        at place: TestPlace
    ) {
        self.subject = subject
        self.clock = clock
        self.inbox = inbox
        beginning = place
        known = subject.state()
        subject.activity.onIdle { [executor = inbox.executor] in executor.notify() }
        // An effect may fall asleep on a thread of its own, of which the executor knows nothing.
        clock.onSleep { [weak executor = inbox.executor] in executor?.notify() }
    }

    deinit {
        guard isExhaustive, !isOver, let left = leftOver() else { return }
        StandardError.report(TestFailure("\(left), and finish() was not called", at: beginning))
    }

    // MARK: - Sending

    /// Dispatches an action; returns when it and all that follows are processed, without waiting for something outside.
    ///
    /// The closure turns the state before the action into the one that its reducers leave; omit it for an action that changes
    /// no state. Describe the consequences of the action when you receive them.
    ///
    /// - Throws: `TestFailure` for another state, and for emitted actions that were not received.
    public func send(
        _ action: Action, file: String = #fileID, function: String = #function, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        try send(
            action, from: ActionSource(file: file, function: function, line: line, info: nil), file: file,
            line: line, change)
    }

    /// Dispatches an action on behalf of another place, its source for middlewares; see above.
    public func send(
        _ action: Action, from source: ActionSource, file: String = #fileID, line: UInt = #line,
        _ change: (inout State) throws -> Void = { _ in }
    ) throws {
        try send(subject.show(action), from: source, at: TestPlace(file: file, line: line), change) {
            try subject.dispatch(action, source)
        }
    }

    /// The common implementation; `dispatch` passes on the action that messages call `shown`.
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
        // Waits for its turn: another thread may be processing input from outside.
        let now = subject.state()
        let after = inbox.takeSent()?.state ?? now
        settle()
        try compare(after, with: change, of: shown, at: place)
    }

    // MARK: - Time, state and end

    /// Moves the clock from one deadline to the next up to the end of a duration, and runs everything that wakes.
    public func advance(by duration: Duration) {
        settle()
        let target = clock.now.advanced(by: duration)
        while let next = clock.nextDeadline, next <= target {
            clock.advance(by: clock.now.duration(to: next))
            settle()
        }
        clock.advance(by: clock.now.duration(to: target))
    }

    /// Takes all actions emitted since the last received one, in order; for tests that look at many at once.
    ///
    /// The current state then counts as expected.
    public func takeEmitted() -> [DispatchedAction<Action>] {
        takeEntries().compactMap { entry in
            entry.action.map { DispatchedAction($0, dispatcher: entry.source) }
        }
    }

    /// Takes all emitted entries.
    func takeEntries() -> [TestInbox<Action, State>.Entry] {
        settle()
        known = subject.state()
        return inbox.takeAllEmitted()
    }

    /// The plugin's log lines, each preceded by its level: `info: still waiting`.
    public var log: [String] { inbox.lines }

    /// The number of times that reducers reported a change of the state.
    public var stateChanges: Int { subject.changes() }

    /// The state between two actions.
    public var state: State { subject.state() }

    /// The number of running effects, including those in the background.
    public var runningEffects: Int {
        settle()
        return subject.activity.running
    }

    /// Describes a change of the state since the last sent or received action, such as by an action that an interceptor held
    /// and let pass later.
    ///
    /// - Throws: `TestFailure` if the state is another one.
    public func expectState(
        file: String = #fileID, line: UInt = #line, _ change: (inout State) throws -> Void
    ) throws {
        settle()
        try compare(subject.state(), with: change, of: "that moment", at: TestPlace(file: file, line: line))
    }

    /// Removes and returns the subject's reading and writing problems, each in one sentence.
    public func takeProblems() -> [String] { inbox.takeProblems() }

    /// Asks the run to end: effects are cancelled except `finishing` ones, and last actions are emitted.
    public func stop() {
        settle()
        subject.stop()
        settle()
    }

    /// Ends the test: waits for effects, except those in the background.
    ///
    /// - Throws: `TestFailure` for actions not received, for an undescribed change of the state, and for effects that do not
    ///   end by themselves, such as those that sleep until the clock is moved.
    public nonisolated(nonsending) func finish(file: String = #fileID, line: UInt = #line) async throws {
        let place = TestPlace(file: file, line: line)
        defer { isOver = true }
        guard isExhaustive else { return }
        try await awaitEffects(at: place)
        if let left = leftOver() { throw failure("\(left) at the end", at: place) }
        try compare(subject.state(), with: { _ in }, of: "the last action", at: place)
    }

    /// Waits until no effect is running, except those in the background.
    nonisolated(nonsending) func awaitEffects(at place: TestPlace) async throws {
        let deadline = ContinuousClock.now.advanced(by: limit)
        settle()
        while subject.activity.foreground > 0, mayEmit, await wait(until: deadline) { settle() }
        guard subject.activity.foreground > 0 else { return }
        throw failure("expected all effects to have ended, found that \(whatRuns())", at: place)
    }

    // MARK: - Implementation details

    /// Runs jobs until none is left.
    func settle() { inbox.executor.runAll() }

    /// Whether an effect may still emit without the clock being moved: each sleeper is one effect at most.
    var mayEmit: Bool { subject.activity.running > clock.sleepers }

    /// Waits for news of the executor; returns whether there is time left.
    nonisolated(nonsending) func wait(until deadline: ContinuousClock.Instant) async -> Bool {
        let timer = Task { [executor = inbox.executor] in
            try await Task.sleep(until: deadline, clock: .continuous)
            executor.notify()
        }
        await inbox.executor.news()
        timer.cancel()
        return ContinuousClock.now < deadline
    }

    /// Returns why nothing comes, for a message.
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

    /// Returns a description of everything unexpected; nil for nothing.
    func leftOver() -> String? {
        let problems = inbox.takeProblems()
        guard problems.isEmpty else { return problems.joined(separator: "; ") }
        let emitted = inbox.emitted.filter { $0.action != nil }.map(shown)
        return emitted.isEmpty ? nil : "expected nothing more, found \(emitted.joined(separator: ", "))"
    }

    /// Returns an action as messages show it: its recorded form, if it can be written.
    func shown(_ entry: TestInbox<Action, State>.Entry) -> String {
        if case .success(let wire)? = entry.wire { return wire.json() }
        return entry.action.map(subject.show) ?? "an action that cannot be read or written"
    }

    /// Compares a state with the one that the test derives from its known state.
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

    /// Returns a failure, after which nothing more need be reported.
    func failure(_ text: String, at place: TestPlace) -> TestFailure {
        isOver = true
        return TestFailure(text, at: place)
    }
}
