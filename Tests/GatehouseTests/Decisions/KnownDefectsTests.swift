// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gatehouse
import Testing

/// The defects of the libraries whose vocabulary this one shares, in the order in which they are listed in their
/// reference; each test fails where the defect is.
@Suite("Known defects of the predecessors", .timeLimit(.minutes(5)))
struct KnownDefectsTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>

    private let trace = Trace()

    /// A store that writes down what it reduces and answers by effects.
    private func store(_ effect: @escaping @Sendable (Int) -> Effect<Void, Int>) -> Store<Int, Int> {
        let trace = trace
        return Store(
            initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
            middleware: Middleware.onAction { action, _, _ in effect(action) })
    }

    @Test
    func `1 the token of a promise is not ignored: another promise with it takes the first one's place`() {
        let answers = [Kept<@Sendable (Int) -> Void>(), Kept<@Sendable (Int) -> Void>()]
        let store = store { action in
            action < 2 ? .promise(token: "p") { answers[action].value = $0 } : .doNothing
        }
        store.dispatch(0)
        store.dispatch(1)
        #expect(store.activity.running == 1)
        for answer in answers { answer.value?(7) }
        #expect(trace.lines == ["reduce 0", "reduce 1", "reduce 7"])
    }

    @Test func `2 effects are not keyed by hash value: unequal tokens with one hash live side by side`() {
        struct Clashing: Hashable {
            let name: String
            func hash(into hasher: inout Hasher) { hasher.combine(1) }
        }
        let kept = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let store = store { action in
            switch action {
            case 0, 1: .start(token: Clashing(name: "\(action)")) { _, output in kept[action].value = output }
            case 2: .cancel(Clashing(name: "0"))
            default: .doNothing
            }
        }
        for action in 0...2 { store.dispatch(action) }
        #expect(kept.map { $0.value?.isCancelled } == [true, false])
        #expect(store.activity.running == 1)
    }

    @Test func `3 a late completion does not cancel a successor`() {
        let kept = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let store = store { action in
            action < 2 ? .start(token: "t") { _, output in kept[action].value = output } : .doNothing
        }
        store.dispatch(0)
        // The end of the first is on its way, from another thread, when the second takes its token.
        let first = kept[0].value
        let ending = Threads.start { first?.finish() }
        store.dispatch(1)
        ending.wait()
        kept[0].value = nil
        #expect(kept[1].value?.isCancelled == false)
        kept[1].value?.send(9)
        #expect(trace.lines.last == "reduce 9")
        #expect(store.activity.running == 1)
    }

    @Test func `4 no dead entry is left by effects that end as they start, nor by those without token`() {
        let shared = UnsafeShare(
            Middleware.onAction { action, _, _ in
                action % 2 == 0
                    ? .start(token: action) { _, output in output.finish() }
                    : .start { _, output in output.finish() }
            })
        let store = Store<Int, Int>(initialState: 0, reducer: .identity, middleware: Forward(shared))
        for action in 0..<100 { store.dispatch(action) }
        #expect(shared.value.runningEffects == 0)
        #expect(store.activity.running == 0)
    }

    @Test func `5 emit policies leave the state alone: observers that hear nothing change nothing`() {
        let trace = trace
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: AnyMiddleware { action, _, state in
                IO { _ in trace.add("after \(action): \(state())") }
            })
        let subscriptions = [
            store.observe(.never) { _ in trace.add("never") },
            store.observe(.when { _, new in new > 100 }) { trace.add("big \($0)") },
        ]
        store.dispatch(5)
        store.dispatch(200)
        #expect(trace.lines == ["after 5: 5", "big 205", "after 200: 205"])
        #expect(store.state == 205)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `6 dispatch is neither nested nor depth first, and bounded`() {
        let trace = trace
        let loops = Trace()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
            middleware: Probe(name: "a", trace: Trace()) { action in
                switch action {
                case 1: [2, 3]
                case 2: [4]
                case 9: [9]
                default: []
                }
            }, limits: DrainLimits(chain: 20), hooks: StoreHooks(onLoop: { loops.add("\($0.limit)") }))
        store.dispatch(1)
        #expect(
            trace.lines == ["reduce 1", "reduce 2", "reduce 3", "reduce 4"], "4 answers 2 and waits for 3")
        store.dispatch(9)
        #expect(trace.lines.count == 4 + 21)
        #expect(loops.lines == ["20"])
    }

    @Test func `7 a dispatch inside a reducer loses no update`() {
        let own = Weak<Store<Int, [Int]>>()
        let store = Store<Int, [Int]>(
            initialState: [],
            reducer: .reduce { action, state in
                if action < 3 { own.value?.dispatch(action + 1) }
                state.append(action)
            }, middleware: IdentityMiddleware<Int, Int, [Int]>(), hooks: StoreHooks(onMisuse: { _ in }))
        own.value = store
        store.dispatch(1)
        #expect(store.state == [1, 2, 3])
    }

    @Test func `8 no main queue: the order is the same on whatever thread an action is dispatched`() {
        let run: @Sendable () -> [String] = {
            let trace = Trace()
            let store = Store<Int, Int>(
                initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
                middleware: Probe(name: "a", trace: trace) { $0 == 1 ? [2, 3] : [] })
            store.dispatch(1)
            return trace.lines
        }
        let elsewhere = Kept<[String]>()
        Threads.start { elsewhere.value = run() }.wait()
        #expect(elsewhere.value == run())
        #expect(elsewhere.value?.filter { $0.hasPrefix("reduce") } == ["reduce 1", "reduce 2", "reduce 3"])
    }

    @Test func `9 erasure does not change the order of effects`() {
        func order(_ compose: (Middleware, Middleware) -> AnyMiddleware<Int, Int, Int>) -> [String] {
            let trace = Trace()
            let parts = ["a", "b"].map { name in
                Middleware.onAction { action, _, _ in action == 1 ? .just(name == "a" ? 10 : 20) : .doNothing
                }
            }
            let store = Store<Int, Int>(
                initialState: 0, reducer: .reduce { action, _ in trace.add("\(action)") },
                middleware: UnsafeShare(compose(parts[0], parts[1])).value)
            store.dispatch(1)
            return trace.lines
        }
        let joined = order { first, second in
            let join: Middleware = first <> second
            return join.eraseToAnyMiddleware()
        }
        let erased = order {
            ($0.eraseToAnyMiddleware() <> $1.eraseToAnyMiddleware()).eraseToAnyMiddleware()
        }
        #expect(joined == erased)
        #expect(joined == ["1", "20", "10"])
    }

    @Test func `10 lifting a reader keeps what is known of identities and compositions`() {
        typealias Erased = MiddlewareReader<Void, AnyMiddleware<Int, Int, Int>>
        let identity = Erased { AnyMiddleware(IdentityMiddleware()) }
        let pair = Erased { [trace] in
            (Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace)).eraseToAnyMiddleware()
        }
        let row =
            identity.lift(state: { (text: String) in text.count })
            <> pair.lift(state: { (text: String) in text.count })
            <> MiddlewareReader<Void, IdentityMiddleware<Int, Int, Int>> { IdentityMiddleware() }
            .lift(state: { (text: String) in text.count })
        #expect(row.inject(()).members.count == 2)
    }

    @Test func `11 outputs after the store's release do not vanish in silence`() {
        let (trace, kept) = (trace, Kept<EffectOutput<Int>>())
        let handler = Kept<AnyActionHandler<Int>>()
        let activity: Activity
        do {
            let store = Store<Int, Int>(
                initialState: 0, reducer: .identity,
                middleware: AnyMiddleware { _, _, _ in IO { handler.value = $0 } },
                hooks: StoreHooks(onLateAction: { trace.add("\($0.action) from \($0.dispatcher.file)") }))
            activity = store.activity
            store.dispatch(1)
        }
        Threads.start { handler.value?.dispatch(5, from: .named("late")) }.wait()
        #expect(trace.lines == ["5 from late"])
        #expect(activity.lateActions == 1)
        #expect(kept.value == nil)
    }

    @Test func `12 a late output of the action that opened a gate does not open it again`() {
        let kept = Kept<AnyActionHandler<Int>>()
        let (trace, gated) = (
            trace,
            AnyMiddleware<Int, Int, Int> { action, _, _ in action == -1 ? IO { kept.value = $0 } : .pure() }
                .gated(controlActionMap: { $0 == -1 ? true : $0 == -2 ? false : nil }, default: .bypass)
        )
        let status = gated.status
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
            middleware: gated)
        store.dispatch(-1)
        store.dispatch(-2)
        kept.value?.dispatch(5)
        #expect(status.gate == .bypass)
        #expect(status.droppedOutputs == 1)
        #expect(trace.lines == ["reduce -1", "reduce -2"])
    }

    @Test func `13 a rule on a transition sees the state it came from and the state it went to`() {
        // The rule: when the state goes from 1 to 3, emit 100.
        let rule = AnyMiddleware<Int, Int, Int> { _, source, state in
            let before = state()
            return IO { output in if before == 1, state() == 3 { output.dispatch(100, from: source) } }
        }
        let trace = trace
        let store = Store<Int, Int>(
            initialState: 1,
            reducer: .reduce { action, state in
                if action == 100 { trace.add("rule at \(state)") } else { state = action }
            }, middleware: rule)
        for state in [1, 2, 3, 1, 3, 3] { store.dispatch(state) }
        #expect(trace.lines == ["rule at 3"])
    }

    @Test func `14 the core compiles on Linux, and imports nothing that only others have`() throws {
        var package = URL(filePath: #filePath)
        for _ in 0..<4 { package.deleteLastPathComponent() }
        let folder = package.appending(path: "SDK/Sources/Gatehouse")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var imported: Set<String> = []
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                if let place = words.firstIndex(of: "import"), place <= 1,
                    let name = words[place...].dropFirst().first
                {
                    imported.insert(String(name))
                }
            }
        }
        #expect(count > 50)
        #expect(imported == ["Glibc", "Observation", "Synchronization"])
    }
}
