// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// When a run is over, what hooks may do, and what stays behind.
@Suite(.timeLimit(.minutes(10))) struct HostLifetimeTests {
    /// An assembly of one linked plugin, the instance `a`.
    private static func assembly<P: Plugin>(
        _ plugin: P.Type, consumes: [String], emits: [String] = [], gate: GateConfiguration = .active,
        report: @escaping @Sendable (HostReport) -> Void = { _ in }
    ) throws -> Assembly {
        try Assembly(
            linking: [
                LinkedPlugin(
                    entry: InstanceConfiguration(id: "a", gate: gate),
                    manifest: PluginManifest(
                        id: "a", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "A",
                        consumes: consumes, emits: emits),
                    exports: PluginEntry.exports(of: plugin))
            ],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: report))
    }

    // MARK: - The end of a run

    /// Emits from a thread of its own, in the background, and counts up to 500.
    private struct Counting: Plugin {
        enum Action: PluginAction { case begin, aside, count(Int) }

        /// Whether the reader has left the drain, so that the effect's thread is the one to drain.
        static let mayEmit = Atomic<Bool>(false)

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                switch action {
                case .begin:
                    .task {
                        while !mayEmit.load(ordering: .sequentiallyConsistent) { await Task.yield() }
                        return .aside
                    }.inBackground
                case .aside: .doNothing
                case .count(let number): number < 500 ? .just(.count(number + 1)) : .doNothing
                }
            }
        }
    }

    /// Where the reader and the effect's thread are.
    private final class Progress: Sendable {
        /// Whether the effect's thread drains.
        let isHeld = Atomic<Bool>(false)
        /// Whether the reader has read all its input.
        let isAtEnd = Atomic<Bool>(false)
    }

    @Test func `a run ends after all that its input led to, although another thread drains`() async throws {
        let progress = Progress()
        let actions = try await TestThread.value {
            var input: [Int32] = [-1, -1]
            guard unsafe pipe(&input) == 0 else { throw SystemFailure("pipe") }
            let end = input[1]
            defer { close(input[0]) }
            let assembly = try Self.assembly(
                Counting.self, consumes: ["begin", "aside", "count"], emits: ["aside", "count"])
            let host = Host(assembly, reports: Reporter { _ in }, stop: StopRequest()) { dispatched in
                let action = dispatched.action;
                // Lets the reader come in between.
                sched_yield()
                guard action.type == "a/aside" else { return }
                progress.isHeld.store(true, ordering: .sequentiallyConsistent)
                while !progress.isAtEnd.load(ordering: .sequentiallyConsistent) { sched_yield() }
            }
            Self.write(#"{"type":"a/begin"}"#, to: end)
            var waits = 0
            _ = try host.run(
                [.stream(input[0], name: "input")], isStrict: false,
                onWait: { isWaiting in
                    guard isWaiting else { return }
                    waits += 1
                    if waits > 1 { return progress.isAtEnd.store(true, ordering: .sequentiallyConsistent) }
                    Counting.mayEmit.store(true, ordering: .sequentiallyConsistent)
                    while !progress.isHeld.load(ordering: .sequentiallyConsistent) { sched_yield() }
                    Self.write(#"{"type":"a/count","payload":0}"#, to: end)
                    close(end)
                })
            return host.counts.actions
        }
        #expect(actions == 503)
    }

    @Test func `a run goes on while somebody listens, and waits meanwhile for whoever comes`() async throws {
        let waits = try await TestThread.value {
            let host = Host(try .empty(), reports: Reporter { _ in })
            let listener = try host.store.dependencies.listeners.listeners(for: "a")
                .listen(at: .port(host: "127.0.0.1", 0))
            var waits: [Bool] = []
            _ = try host.run(
                [], isStrict: false,
                onWait: { isWaiting in
                    waits.append(isWaiting)
                    if waits.count == 1 { listener.giveBack() }
                })
            return waits
        }
        // Once for clients, and once for effects at the end.
        #expect(waits == [true, false, true, false])
    }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }

    // MARK: - Hooks

    /// Logs where its gate stands.
    private struct Gated: Plugin {
        enum Action: PluginAction { case go }

        static func middleware() -> Reader {
            Reader { context in AnyMiddleware(Listener(log: context.log)) }
        }

        struct Listener: MiddlewareProtocol {
            let log: PluginLog

            func handle(
                action: Action, from dispatcher: ActionSource, state: GetState<NoState>
            ) -> IO<Action> { .pure() }

            func gateChanged(to gate: GateState) { log(.info, "gate \(gate)") }
        }
    }

    /// Knows the host that a report comes from.
    ///
    /// `@unchecked Sendable`: used on the thread of one test.
    private final class Reference: @unchecked Sendable {
        weak var host: Host?
    }

    @Test func `what is told of a gate moved by the state, or of a refused host action, may read the state`()
        throws
    {
        let reference = Reference()
        let seen = Mutex<[String]>([])
        let report: @Sendable (HostReport) -> Void = { report in
            let state = Result { try reference.host?.snapshot() }
            seen.withLock { $0.append("\(report): \((try? state.get())?.json() ?? "none")") }
        }
        let host = Host(
            try Self.assembly(
                Gated.self, consumes: ["go"], gate: .state(try JSONPointer("/on")), report: report),
            reports: Reporter(report))
        reference.host = host
        let merge = { (payload: Value) in
            host.dispatch(AnyAction(HostActions.mergeState, payload: payload), from: .here())
        }
        merge(["on": true])
        merge(["on": false, "count": 1])
        merge("on")
        #expect(
            seen.withLock { $0 }.map { $0.replacing(#/^.*HostLifetimeTests.swift:\d+: /#, with: "") } == [
                #"a: gate active: {"on":true}"#, #"a: gate bypass: {"on":false,"count":1}"#,
                #"host/state/merge: expected an object as payload, found a string: {"on":false,"count":1}"#,
            ])
    }

    // MARK: - What stays behind

    /// Stands for what an instance holds.
    private final class Held: Sendable {}

    /// Knows what was made for an instance without holding it.
    private final class Made: Sendable {
        /// What the lock guards.
        private struct Reference {
            weak var held: Held?
        }

        private let reference = Mutex(Reference())

        var held: Held? {
            get { reference.withLock { $0.held } }
            set { reference.withLock { $0.held = newValue } }
        }
    }

    /// Emits at once, so that its middleware has met the store's output.
    private struct Holding: Plugin {
        enum Action: PluginAction { case ping, pong }

        static let made = Made()

        static func middleware() -> Reader {
            Reader { _ in
                let held = Held()
                made.held = held
                return AnyMiddleware(
                    EffectMiddleware<Action, Action, NoState, Void>.onAction { action, _, _ in
                        withExtendedLifetime(held) {}
                        if case .ping = action { return .just(.pong) }
                        return .doNothing
                    })
            }
        }
    }

    @Test func `instances go with their host`() throws {
        do {
            let host = Host(
                try Self.assembly(Holding.self, consumes: ["ping"], emits: ["pong"]),
                reports: Reporter { _ in })
            host.dispatch(AnyAction("a/ping"), from: .here())
            #expect(host.counts.actions == 2)
            #expect(Holding.made.held != nil)
        }
        #expect(Holding.made.held == nil)
    }

    // MARK: - A host that goes while it works

    /// Lets go of the last reference to its host while its reducers' action is in hand, and goes on working.
    private struct LettingGo: Plugin {
        enum Action: PluginAction { case ping, pong }
        struct State: Codable, Sendable { var count = 0 }

        /// Whether nobody but `kept` has the host any more.
        static let isAlone = Atomic<Bool>(false)
        /// The reference to the host that is let go of, nil afterwards.
        static let kept = Mutex<Kept?>(nil)
        /// Tells what the plugin saw after it had let go.
        static let seen = AsyncStream<Int>.makeStream()

        static func initialState(_ settings: NoSettings) -> State { State() }

        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
            .reduce { _, state in state.count += 1 }
        }

        static func middleware() -> Reader { Reader { _ in AnyMiddleware(Middleware()) } }
    }

    /// Lets go before the reducers of an action that arrives on an effect's thread, which keeps no host.
    private struct Middleware: MiddlewareProtocol {
        typealias Action = LettingGo.Action
        /// Emits the second action.
        let effect = EffectMiddleware<Action, Action, LettingGo.State, Void>.onAction { action, _, _ in
            guard case .ping = action else { return .doNothing }
            return .task {
                while !LettingGo.isAlone.load(ordering: .sequentiallyConsistent) { await Task.yield() }
                return .pong
            }
        }

        func handle(
            action: Action, from dispatcher: ActionSource, state: GetState<LettingGo.State>
        ) -> IO<Action> {
            guard case .pong = action else {
                return effect.handle(action: action, from: dispatcher, state: state)
            }
            let host = LettingGo.kept.withLock { $0.take() }
            withExtendedLifetime(host) {}
            return IO { _ in LettingGo.seen.continuation.yield(state().count) }
        }
    }

    /// Carries a host from one thread to another.
    private final class Kept: @unchecked Sendable {
        // @unchecked Sendable: a constant that one thread at a time has.

        /// The host that the test holds.
        let host: Host

        init(_ host: Host) { self.host = host }
    }

    /// Makes a host, gives it an action, and leaves it to the plugin.
    private static func leaveHost() throws {
        let host = Host(
            try assembly(LettingGo.self, consumes: ["ping", "pong"], emits: ["pong"]),
            reports: Reporter { _ in })
        host.dispatch(AnyAction("a/ping"), from: .here())
        LettingGo.kept.withLock { $0 = Kept(host) }
    }

    @Test func `a host that goes inside its own pass leaves everything there until the pass has ended`()
        async throws
    {
        var seen = LettingGo.seen.stream.makeAsyncIterator()
        for _ in 0..<50 {
            LettingGo.isAlone.store(false, ordering: .sequentiallyConsistent)
            try Self.leaveHost()
            LettingGo.isAlone.store(true, ordering: .sequentiallyConsistent)
            #expect(await seen.next() == 2)
            #expect(LettingGo.kept.withLock { $0 == nil })
        }
    }
}
