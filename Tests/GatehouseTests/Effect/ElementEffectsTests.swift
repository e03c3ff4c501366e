// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import Gatehouse

/// The effects of an effect middleware that was lifted to a collection: each element has its own.
@Suite(.timeLimit(.minutes(5)))
struct ElementEffectsTests {
    struct Lamp: Identifiable, Sendable {
        let id: String
        var level = 0
    }

    struct Action: Sendable {
        var lamp: ElementIDAction<String, String>?
        /// Takes a lamp away.
        var remove: String?
        /// Puts a lamp there.
        var insert: String?
    }

    typealias Part = SimpleEffectMiddleware<String, Lamp>
    typealias Whole = SimpleEffectMiddleware<Action, [Lamp]>

    /// The outputs of the effects that were started last, by element.
    private let kept = Kept<[String: EffectOutput<String>]>()
    private let trace = Trace()

    /// `on` keeps an effect under one token for all lamps, `off` cancels it, `bye` too keeps one; all else is written down.
    private func part() -> Part {
        Part.onAction { [kept, trace] action, state, context in
            let id = state().id
            switch action {
            case "on", "bye":
                return .start(token: "light") { _, output in
                    var all = kept.value ?? [:]
                    all[id] = output
                    kept.value = all
                }
            case "off": return context.toCancel("light")
            case "tick":
                return .fireAndForget { _ in trace.add("tick \(id)") }
                    .throttle(id: "t", for: .seconds(1), clock: ManualClock(), latest: false)
            default:
                trace.add("\(id) \(action)")
                return .doNothing
            }
        }
    }

    private func store(_ whole: UnsafeShare<Whole>) -> Store<Action, [Lamp]> {
        Store(
            initialState: [Lamp(id: "a"), Lamp(id: "b")],
            reducer: .reduce { action, state in
                state.removeAll { $0.id == action.remove }
                if let id = action.insert { state.append(Lamp(id: id)) }
            }, middleware: Forward(whole))
    }

    private func lifted() -> UnsafeShare<Whole> {
        UnsafeShare(part().liftToCollection(action: \Action.lamp, stateCollection: \[Lamp].self))
    }

    private func tell(_ id: String, _ action: String, remove: String? = nil) -> Action {
        Action(lamp: ElementIDAction(id: id, action: action), remove: remove)
    }

    private func isCancelled(_ id: String) -> Bool? { kept.value?[id]?.isCancelled }

    @Test func `two elements with one token do not cancel each other`() {
        let whole = lifted()
        let store = store(whole)
        for id in ["a", "b"] { store.dispatch(tell(id, "on")) }
        #expect(whole.value.runningEffects == 2)
        store.dispatch(tell("a", "off"))
        #expect(isCancelled("a") == true)
        #expect(isCancelled("b") == false)
        kept.value?["b"]?.send("hello")
        #expect(trace.lines == ["b hello"])
        withExtendedLifetime(store) {}
    }

    @Test func `the effects of an element that has left are cancelled, whichever action took it away`() {
        let whole = lifted()
        let store = store(whole)
        for id in ["a", "b"] { store.dispatch(tell(id, "on")) }
        store.dispatch(Action(remove: "a"))
        #expect(isCancelled("a") == true)
        #expect(isCancelled("b") == false)
        store.dispatch(Action(insert: "a"))
        store.dispatch(tell("a", "on"))
        #expect(isCancelled("a") == false)
        #expect(whole.value.runningEffects == 2)
        withExtendedLifetime(store) {}
    }

    @Test func `what answers the action with which an element leaves goes on`() {
        let whole = lifted()
        let store = store(whole)
        store.dispatch(tell("a", "on"))
        let before = kept.value?["a"]
        store.dispatch(tell("a", "bye", remove: "a"))
        #expect(before?.isCancelled == true)
        store.dispatch(tell("b", "x"))
        store.dispatch(Action())
        #expect(isCancelled("a") == false)
        #expect(whole.value.runningEffects == 1)
        whole.value.cancelEffects()
        #expect(isCancelled("a") == true)
        withExtendedLifetime(store) {}
    }

    /// An element that is counted while anything of it is there.
    private struct Wired: Identifiable, Sendable {
        /// Counts itself while it lives.
        final class Wire: Sendable {
            private let alive: Kept<Int>

            init(_ alive: Kept<Int>) {
                self.alive = alive
                alive.value = (alive.value ?? 0) + 1
            }

            deinit { alive.value = (alive.value ?? 0) - 1 }
        }

        let id: Int
        let wire: Wire
    }

    private struct WiredAction: Sendable {
        /// Puts an element there, in place of one with its id, or takes it away.
        var isThere: ElementIDAction<Int, Bool>?
    }

    /// A store of no elements so far, whose effects are started when an element that is there is put there again or taken away.
    private func wiredStore(
        _ alive: Kept<Int>, isJoined: Bool = false,
        _ effect: @escaping @Sendable (Int) -> Effect<Void, Bool>
    ) -> Store<WiredAction, [Wired]> {
        let one = SimpleEffectMiddleware<Bool, Wired>.onAction { _, state, _ in effect(state().id) }
        let part = isJoined ? one <> .identity : one
        return Store(
            StoreParts<WiredAction, [Wired]>(
                initialState: [],
                reducer: .reduce { action, state in
                    guard let change = action.isThere else { return }
                    state.removeAll { $0.id == change.id }
                    if change.action { state.append(Wired(id: change.id, wire: Wired.Wire(alive))) }
                },
                middleware: part.liftToCollection(
                    action: \WiredAction.isThere, stateCollection: \[Wired].self)))
    }

    @Test func `nothing of an element that has left is kept once its last effect has ended`() {
        let alive = Kept<Int>()
        let output = Kept<EffectOutput<Bool>>()
        let store = wiredStore(alive) { _ in .start { _, started in output.value = started } }
        for isThere in [true, false] {
            store.dispatch(WiredAction(isThere: ElementIDAction(id: 1, action: isThere)))
        }
        #expect(output.value?.isCancelled == false)
        output.value = nil
        store.dispatch(WiredAction())
        #expect(alive.value == 0)
    }

    @Test(arguments: [false, true])
    func `an element without effects is forgotten as it was when another one is told something`(
        isJoined: Bool
    ) {
        let alive = Kept<Int>()
        let store = wiredStore(alive, isJoined: isJoined) { _ in .doNothing }
        for id in [1, 1, 2, 2] {
            store.dispatch(WiredAction(isThere: ElementIDAction(id: id, action: true)))
        }
        // What the second one was like when it was told something last may still be asked for.
        #expect(alive.value == 2 + 1)
    }

    @Test func `what runs for an element is cancelled also when it leaves with an action of its own`() {
        let whole = lifted()
        let store = store(whole)
        store.dispatch(tell("a", "on"))
        store.dispatch(tell("a", "x", remove: "a"))
        #expect(isCancelled("a") == true)
        #expect(trace.lines == ["a x"])
        #expect(whole.value.runningEffects == 0)
        withExtendedLifetime(store) {}
    }

    @Test func `gates reach what is known of each element`() {
        /// An effect middleware that hears of gates, as one may that is made around something else.
        func part() -> Part {
            Part(
                around: GateListener(trace: trace), count: { EffectCount(running: 1) }, again: { part() })
        }
        let whole = part().liftToCollection(action: \Action.lamp, stateCollection: \[Lamp].self)
        for id in ["a", "b"] {
            _ = whole.handle(action: tell(id, "x"), from: .here(), state: GetState { [Lamp(id: id)] })
        }
        whole.gateChanged(to: .bypass)
        #expect(trace.lines == ["gate bypass", "gate bypass"])
    }

    /// Writes down what it hears of gates.
    private struct GateListener: MiddlewareProtocol {
        let trace: Trace

        func handle(action: String, from dispatcher: ActionSource, state: GetState<Lamp>) -> IO<String> {
            .pure()
        }
        func gateChanged(to gate: GateState) { trace.add("gate \(gate)") }
    }

    @Test func `intervals of throttled effects count for each element, and are kept while they last`() {
        let store = store(lifted())
        for id in ["a", "b", "a", "b", "a"] { store.dispatch(tell(id, "tick")) }
        #expect(trace.lines == ["tick a", "tick b"])
    }

    @Test func `lifted again and joined, elements have effects of their own still`() {
        let lamps: Whole = part().liftToCollection(action: \Action.lamp, stateCollection: \[Lamp].self)
        let again: Whole = lamps.lift(inputAction: { (action: Action) in action })
        let whole = UnsafeShare(again <> .identity)
        let store = store(whole)
        for id in ["a", "b"] { store.dispatch(tell(id, "on")) }
        #expect(whole.value.runningEffects == 2)
        withExtendedLifetime(store) {}
    }

    @Test func `a join, a lift and a reader are lifted to collections in the same way`() {
        let join: Part = part().lift(state: { (lamp: Lamp) in lamp }) <> .identity
        let reader = MiddlewareReader<Void, Part> { _ in join }
        let whole = UnsafeShare(
            reader.liftToCollection(action: \Action.lamp, stateCollection: \[Lamp].self).inject(()))
        let store = store(whole)
        for id in ["a", "b"] { store.dispatch(tell(id, "on")) }
        #expect(whole.value.runningEffects == 2)
        whole.value.stopEffects()
        #expect(whole.value.runningEffects == 0)
        withExtendedLifetime(store) {}
    }

    @Test func `an action for an element that is not there starts nothing`() {
        let whole = lifted()
        let store = store(whole)
        store.dispatch(tell("z", "on"))
        #expect(whole.value.runningEffects == 0)
        withExtendedLifetime(store) {}
    }
}
