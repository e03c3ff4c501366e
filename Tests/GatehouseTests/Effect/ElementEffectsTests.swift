// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

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
