// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BehaviorTests {
    typealias Numbers = Behavior<Int, Int, String>

    private let trace = Trace()

    /// Adds the action and, for 1, answers by the state; writes down each call.
    private func adding(_ name: String) -> Numbers {
        .handle { [trace] action, state in
            trace.add("\(name) handle \(action) (\(state))")
            return .reduce { $0 += action }.produce { state, context in
                trace.add("\(name) produce \(action) (\(state())) with \(context.dependencies)")
                return action == 1 ? .just(state() + 100, from: .named(name)) : .doNothing
            }
        }
    }

    private func store(_ behavior: Numbers) -> Store<Int, Int> {
        Store(UnsafeShare(StoreParts(initialState: 0, behavior: behavior, dependencies: "world")).value)
    }

    @Test
    func `the function runs once for each action; its change comes first, its effect after the reducers`() {
        store(adding("a")).dispatch(1)
        #expect(
            trace.lines == [
                "a handle 1 (0)", "a produce 1 (1) with world", "a handle 101 (1)",
                "a produce 101 (102) with world",
            ])
    }

    @Test func `in a join the left one changes the state first and answers last`() {
        store(adding("a") <> adding("b")).dispatch(2)
        #expect(
            trace.lines == [
                "a handle 2 (0)", "b handle 2 (2)", "b produce 2 (4) with world",
                "a produce 2 (4) with world",
            ])
    }

    @Test func `in a join each has tokens of its own`() {
        let kept = Kept<[EffectOutput<Int>]>()
        let part = Numbers.handle { _, _ in
            .produce { _, _ in .start(token: "t") { _, output in kept.value = (kept.value ?? []) + [output] }
            }
        }
        let store = store(part <> part)
        store.dispatch(1)
        #expect(kept.value?.map(\.isCancelled) == [false, false])
        store.dispatch(1)
        #expect(kept.value?.map(\.isCancelled) == [true, true, false, false])
    }

    @Test func `one value may run in several stores`() {
        let both = adding("a")
        let (one, other) = (store(both), store(both))
        one.dispatch(1)
        other.dispatch(5)
        #expect(one.state == 102)
        #expect(other.state == 5)
    }

    @Test func `observers hear what the change says of itself`() {
        let store = store(
            .handle { action, _ in
                action == 0
                    ? .doNothing
                    : .reducing { state in
                        state = action
                        return .unchanged
                    }
            })
        let subscription = store.observe { [trace] in trace.add("now \($0)") }
        store.dispatch(0)
        store.dispatch(3)
        subscription.cancel()
        #expect(trace.lines == [])
        #expect(store.state == 3)
    }

    @Test func `an action that only the reducer sees has its change and no effect, now or later`() {
        let applying = AnyInterceptor<Int, Int> { action, _, state, _, next in
            state.apply(1)
            if action != 7 { next() }
        }
        let store = Store(
            StoreParts(
                initialState: 0, behavior: adding("a"), dependencies: "world", interceptors: [applying]))
        store.dispatch(7)
        store.dispatch(5)
        #expect(store.state == 7)
        #expect(trace.lines.filter { $0.contains("produce") } == ["a produce 5 (7) with world"])
    }

    @Test func `a reducer and a function from actions to effects are a behavior`() {
        let store = store(
            Numbers(reducer: .adding) { [trace] action, state, context in
                trace.add("\(action) (\(state())) with \(context.dependencies)")
                return .doNothing
            })
        store.dispatch(4)
        #expect(trace.lines == ["4 (4) with world"])
    }

    @Test func `a reducer alone is a behavior that answers nothing`() {
        let store = store(Numbers(reducer: .adding))
        store.dispatch(1)
        #expect(store.state == 1)
        #expect(store.activity.running == 0)
    }

    @Test func `a function from actions to effects alone is a behavior that changes nothing`() {
        let store = store(
            Numbers(reducer: .identity) { [trace] action, state, _ in
                trace.add("\(action) (\(state()))")
                return action == 1 ? .just(10) : .doNothing
            })
        let subscription = store.observe { [trace] in trace.add("now \($0)") }
        store.dispatch(1)
        #expect(trace.lines == ["1 (0)", "10 (0)"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a consequence that only has an effect leaves the state alone, and tells no observer`() {
        let store = store(
            .handle { [trace] action, _ in
                .produce { state, context in
                    trace.add("produce \(action) (\(state())) with \(context.dependencies)")
                    return .doNothing
                }
            })
        let subscription = store.observe { [trace] in trace.add("now \($0)") }
        store.dispatch(3)
        #expect(trace.lines == ["produce 3 (0) with world"])
        #expect(store.state == 0)
        withExtendedLifetime(subscription) {}
    }

    @Test func `a consequence that only changes the state has no effect, and tells observers once`() {
        let store = store(.handle { action, _ in .reduce { $0 += action } })
        let subscription = store.observe { [trace] in trace.add("now \($0)") }
        store.dispatch(3)
        #expect(trace.lines == ["now 3"])
        #expect(store.activity.running == 0)
        withExtendedLifetime(subscription) {}
    }

    // MARK: - Lifts

    struct Action: Sendable {
        var number: Int?
        var lamp: ElementIDAction<String, Int>?
    }

    struct Lamp: Identifiable, Sendable {
        let id: String
        var level = 0
    }

    struct World: Sendable {
        var number = 0
        var lamps = [Lamp(id: "x"), Lamp(id: "y")]
    }

    @Test func `lifted by key paths it hears its part, and answers in its place`() {
        let store = Store<Action, World>(
            StoreParts(
                initialState: World(),
                behavior: adding("a").lift(action: \Action.number, state: \World.number),
                dependencies: "world"))
        store.dispatch(Action(number: 1))
        store.dispatch(Action())
        #expect(store.state.number == 102)
    }

    @Test func `lifted by closures it hears what they let through`() {
        let lifted = adding("a").lift(
            inputAction: { (action: Action) in action.number }, outputAction: { Action(number: $0) },
            stateGetter: { (world: World) in world.number }, stateSetter: { $0.number = $1 })
        let store = Store<Action, World>(
            StoreParts(initialState: World(), behavior: lifted, dependencies: "world"))
        store.dispatch(Action(number: 1))
        store.dispatch(Action())
        #expect(store.state.number == 102)
    }

    @Test func `lifted to a collection it changes one element and has effects for each`() {
        let kept = Kept<[String: EffectOutput<Int>]>()
        let lamp = Behavior<Int, Lamp, String>.handle { action, _ in
            .reduce { $0.level += action }.produce { lamp, _ in
                let id = lamp().id
                return .start(token: "t") { _, output in
                    var all = kept.value ?? [:]
                    all[id] = output
                    kept.value = all
                }
            }
        }
        let store = Store<Action, World>(
            StoreParts(
                initialState: World(),
                behavior: lamp.liftToCollection(action: \Action.lamp, stateCollection: \World.lamps),
                dependencies: "world"))
        for id in ["x", "y", "z"] { store.dispatch(Action(lamp: ElementIDAction(id: id, action: 3))) }
        #expect(store.state.lamps.map(\.level) == [3, 3])
        #expect(kept.value?.mapValues(\.isCancelled) == ["x": false, "y": false])
    }

    @Test func `an element that is taken away ahead of its behavior answers nothing, also nothing of before`()
    {
        let trace = trace
        let removing = Behavior<Action, World, String>.handle { action, _ in
            .reduce { world in if action.number == 0 { world.lamps = [] } }
        }
        let lamp = Behavior<Int, Lamp, String>.handle { level, _ in
            .produce { _, _ in
                trace.add("produce \(level)")
                return .doNothing
            }
        }
        // The reducers see the first action alone, and leave something behind that nobody asks for.
        let applying = AnyInterceptor<Action, World> { action, _, state, _, next in
            if action.number == 0 { state.apply(Action(lamp: ElementIDAction(id: "x", action: 1))) }
            next()
        }
        let store = Store<Action, World>(
            StoreParts(
                initialState: World(),
                behavior: removing
                    <> lamp.liftToCollection(action: \Action.lamp, stateCollection: \World.lamps),
                dependencies: "world", interceptors: [applying]))
        store.dispatch(Action(lamp: ElementIDAction(id: "x", action: 2)))
        store.dispatch(Action(number: 0, lamp: ElementIDAction(id: "x", action: 3)))
        #expect(trace.lines == ["produce 2"])
        #expect(store.state.lamps.isEmpty)
    }

    @Test func `lifted to a collection, what it emits for an element is an action of that element`() {
        let lamp = Behavior<Int, Lamp, String>.handle { action, _ in
            .reduce { $0.level += action }.produce { _, _ in action == 1 ? .just(10) : .doNothing }
        }
        let store = Store<Action, World>(
            StoreParts(
                initialState: World(),
                behavior: lamp.liftToCollection(action: \Action.lamp, stateCollection: \World.lamps),
                dependencies: "world"))
        store.dispatch(Action(lamp: ElementIDAction(id: "y", action: 1)))
        #expect(store.state.lamps.map(\.level) == [0, 11])
        store.dispatch(Action(number: 1))
        #expect(store.state.lamps.map(\.level) == [0, 11])
        #expect(store.state.number == 0)
    }

    @Test func `actions, state and dependencies may be lifted one after the other`() {
        let store = Store<Action, World>(
            StoreParts(
                initialState: World(),
                behavior: adding("a").contramapDependencies { (names: [String]) in names[1] }
                    .lift(action: \Action.number, state: \World.number)
                    .contramapDependencies { (count: Int) in (0...count).map { "\($0)" } },
                dependencies: 5))
        store.dispatch(Action(number: 1))
        #expect(trace.lines.suffix(1) == ["a produce 101 (102) with 1"])
        #expect(store.state.number == 102)
    }

    @Test func `its dependencies come out of a larger world`() {
        let store = Store<Int, Int>(
            StoreParts(
                initialState: 0, behavior: adding("a").contramapDependencies { (number: Int) in "\(number)" },
                dependencies: 42))
        store.dispatch(2)
        #expect(trace.lines.last == "a produce 2 (2) with 42")
    }

    @Test func `two effects of one action are joined in written order`() {
        let behavior = Numbers.handle { action, _ in
            guard action == 1 else { return .doNothing }
            return .produce { _, _ in .just(10, from: .named("first")) }
                .produce { state, _ in .just(state() + 20, from: .named("second")) }
                .produce { _, _ in .just(30, from: .named("third")) }
        }
        let actions = Trace()
        let writing = Numbers.handle { action, _ in
            actions.add("\(action)")
            return .doNothing
        }
        store(behavior <> writing).dispatch(1)
        #expect(actions.lines == ["1", "10", "20", "30"])
    }
}
