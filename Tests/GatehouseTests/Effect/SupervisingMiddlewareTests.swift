// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct SupervisingMiddlewareTests {
    /// The keys that the state wants.
    typealias State = [String]
    typealias Middleware = SupervisingMiddleware<State, State, State, Void>

    private let trace = Trace()

    /// A store whose state is the last action, and a middleware that keeps an effect open for each key in it.
    private func store(
        _ initial: State = [], _ wanted: @escaping @Sendable (State) -> Effect<Void, State>
    ) -> (Store<State, State>, UnsafeShare<Middleware>) {
        let shared = UnsafeShare(Middleware(dependencies: ()) { state, _ in wanted(state) })
        let store = Store<State, State>(
            initialState: initial, reducer: .reduce { action, state in state = action },
            middleware: Forward(shared))
        return (store, shared)
    }

    /// An effect that tells of its start and of its cancellation.
    private func effect(_ key: String, token: String?) -> Effect<Void, State> {
        .start(token: token) { [trace] _, output in
            trace.add("+\(key)")
            output.onCancel {
                trace.add("-\(key)")
                _ = output
            }
        }
    }

    @Test func `an effect runs while the state wants it, from before the first action`() {
        let (store, shared) = store(["a"]) { [self] state in
            .merge(state.map { effect($0, token: $0) })
        }
        #expect(trace.lines == ["+a"])
        store.dispatch(["a", "b"])
        store.dispatch(["b", "a"])
        #expect(trace.lines == ["+a", "+b"])
        #expect(shared.value.runningEffects == 2)
        store.dispatch(["b"])
        #expect(trace.lines == ["+a", "+b", "-a"])
        store.dispatch(["a"])
        #expect(trace.lines == ["+a", "+b", "-a", "-b", "+a"])
        #expect(shared.value.runningEffects == 1)
    }

    @Test func `without a token an effect is known by its place`() {
        let (store, _) = store { [self] state in
            state.isEmpty ? .doNothing : effect("x", token: nil) <> effect("y", token: nil)
        }
        store.dispatch(["a"])
        store.dispatch(["b"])
        store.dispatch([])
        #expect(trace.lines.prefix(2) == ["+x", "+y"])
        #expect(trace.lines.dropFirst(2).sorted() == ["-x", "-y"])
    }

    @Test func `of two with one token the first runs`() {
        let (store, shared) = store { [self] _ in effect("first", token: "t") <> effect("second", token: "t")
        }
        store.dispatch([])
        #expect(trace.lines == ["+first"])
        #expect(shared.value.runningEffects == 1)
    }

    @Test func `one that has ended starts again only when it was unwanted`() {
        let (store, shared) = store { [trace] state in
            state.isEmpty ? .doNothing : .fireAndForget { _ in trace.add("done") }
        }
        for state in [["a"], ["b"], [], ["a"]] { store.dispatch(state) }
        #expect(trace.lines == ["done", "done"])
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `what it emits is processed, and may make it unwanted`() {
        let (store, _) = store { state in
            state.count == 1 ? .start { _, output in output.send(["x", "y"]) } : .doNothing
        }
        store.dispatch(["a"])
        #expect(store.state == ["x", "y"])
    }

    @Test func `what was joined and appended is cancelled as a whole`() {
        let (store, shared) = store { [self] state in
            state.isEmpty ? .doNothing : (effect("x", token: "x") <> effect("y", token: "y")).append(["end"])
        }
        store.dispatch(["a"])
        #expect(shared.value.runningEffects == 2)
        store.dispatch([])
        #expect(shared.value.runningEffects == 0)
        #expect(store.state == [])
    }

    @Test func `cancelled effects come back with the next action, and none after the run was asked to end`() {
        let (store, shared) = store { [self] _ in effect("a", token: "a") }
        store.dispatch([])
        shared.value.cancelEffects()
        #expect(shared.value.runningEffects == 0)
        store.dispatch([])
        #expect(trace.lines == ["+a", "-a", "+a"])
        shared.value.stopEffects()
        store.dispatch([])
        #expect(trace.lines == ["+a", "-a", "+a", "-a"])
    }

    @Test func `effects go with their middleware`() {
        do {
            let (store, _) = store { [self] _ in effect("a", token: "a") }
            store.dispatch([])
        }
        #expect(trace.lines == ["+a", "-a"])
    }

    @Test func `effects go with their middleware also where no store has it`() {
        var middleware: Middleware? = Middleware(dependencies: ()) { [self] _, _ in effect("a", token: "a") }
        middleware?.start(state: GetState { [] }).run { _ in }
        #expect(trace.lines == ["+a"])
        middleware = nil
        #expect(trace.lines == ["+a", "-a"])
    }

    @Test
    func `nobody misses what it has in the background when a run ends, because the state brings it back`() {
        let (store, shared) = store { [self] _ in effect("a", token: "a").inBackground }
        store.dispatch([])
        #expect(shared.value.runningEffects == 1)
        #expect(store.activity.silent == 0)
    }

    @Test func `a reader makes it with its dependencies`() {
        let reader = MiddlewareReader<Int, AnyMiddleware<Int, Int, Int>>.supervise { state, context in
            .just(state + context.dependencies)
        }
        let outputs = Trace()
        let middleware = reader.inject(40)
        middleware.handle(action: 0, from: .here(), state: GetState { 2 }).run { outputs.add("\($0.action)") }
        #expect(outputs.lines == ["42"])
    }

    @Test func `tokens of different types are different, although their values are equal`() {
        let kept = Kept<[EffectOutput<State>]>()
        @Sendable func open(_ token: some Hashable & Sendable) -> Effect<Void, State> {
            .start(token: token) { _, output in kept.value = (kept.value ?? []) + [output] }
        }
        let (store, shared) = store { state in
            state.isEmpty ? .doNothing : open(1) <> open(1.0) <> open(UInt8(1)) <> open(1)
        }
        store.dispatch(["a"])
        #expect(shared.value.runningEffects == 3)
        store.dispatch([])
        #expect(kept.value?.map(\.isCancelled) == [true, true, true])
    }

    @Test func `an effect that waits starts with the value that has settled, and goes at once with it`() async
    {
        let (clock, started) = (ManualClock(), Signal())
        let trace = trace
        let (store, _) = store { state in
            .merge(
                state.map { key in
                    .start(token: key) { _, output in
                        trace.add("+\(key)")
                        output.onCancel {
                            trace.add("-\(key)")
                            _ = output
                        }
                        started.fire()
                    }.delay(for: .seconds(1), clock: clock)
                })
        }
        for query in ["h", "he", "hel"] { store.dispatch([query]) }
        await clock.sleepers(1)
        #expect(trace.lines == [])
        clock.advance(by: .seconds(1))
        await started.wait()
        #expect(trace.lines == ["+hel"])
        store.dispatch(["hell"])
        #expect(trace.lines == ["+hel", "-hel"])
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        await started.wait()
        #expect(trace.lines == ["+hel", "-hel", "+hell"])
    }

    // MARK: - Beside others, and lifted

    /// Keeps an effect, under a token that all have, while its name is in the state.
    private func supervision(of name: String) -> Middleware {
        Middleware(dependencies: ()) { [self] state, _ in
            state.contains(name) ? effect(name, token: "t") : .doNothing
        }
    }

    @Test func `two in a join keep what each of them wants, under tokens of its own`() {
        let store = Store<State, State>(
            initialState: ["a", "b"], reducer: .reduce { action, state in state = action },
            middleware: supervision(of: "a") <> supervision(of: "b"))
        // At the start, too, the last one of a join answers first.
        #expect(trace.lines == ["+b", "+a"])
        store.dispatch(["b"])
        #expect(trace.lines.dropFirst(2) == ["-a"])
        store.dispatch([])
        #expect(trace.lines.dropFirst(3) == ["-b"])
    }

    /// Something of which a part may be missing.
    private struct World: Sendable {
        var keys: State?
    }

    @Test func `lifted to a part that may be missing, its effects go with the part`() {
        let part = SupervisingMiddleware<World, State, State?, Void>(dependencies: ()) { [self] keys, _ in
            .merge((keys ?? []).map { effect($0, token: $0) })
        }
        let store = Store<World, World>(
            initialState: World(keys: ["a"]), reducer: .reduce { action, state in state = action },
            middleware: UnsafeShare(part.lift(outputAction: { World(keys: $0) }, state: { $0.keys })).value)
        #expect(trace.lines == ["+a"])
        store.dispatch(World(keys: ["a", "b"]))
        #expect(trace.lines == ["+a", "+b"])
        store.dispatch(World(keys: nil))
        #expect(trace.lines.dropFirst(2).sorted() == ["-a", "-b"])
    }

    @Test func `lifted by actions it is asked at the start and after those that are for it`() {
        let part = supervision(of: "a")
        let store = Store<World, State>(
            initialState: [], reducer: .reduce { action, state in state = action.keys ?? ["a"] },
            middleware: UnsafeShare(
                part.lift(inputAction: \World.keys, outputAction: { World(keys: $0) })
            ).value)
        store.dispatch(World(keys: nil))
        #expect(trace.lines == [])
        store.dispatch(World(keys: ["a"]))
        #expect(trace.lines == ["+a"])
    }

    @Test func `a reader of it takes its dependencies out of a larger world`() {
        let reader = MiddlewareReader<Int, AnyMiddleware<Int, Int, Int>>.supervise { state, context in
            .just(state + context.dependencies)
        }.contramapDependencies { (world: [Int]) in world[1] }
        let outputs = Trace()
        let middleware = reader.inject([7, 40])
        middleware.start(state: GetState { 2 }).run { outputs.add("\($0.action)") }
        #expect(outputs.lines == ["42"])
    }

    @Test func `beside a behavior it sees what the behavior has changed`() {
        let kept = Kept<EffectOutput<Int>>()
        let parts = Behavior<Int, Int, Void>.handle { action, _ in .reduce { $0 += action } }.parts()
        let supervision = SupervisingMiddleware<Int, Int, Int, Void>(dependencies: ()) { sum, _ in
            sum > 2 ? .start(token: "t") { _, output in kept.value = output } : .doNothing
        }
        let store = Store(
            StoreParts<Int, Int>(
                initialState: 0, reducer: parts.reducer, middleware: parts.reader.inject(()) <> supervision))
        store.dispatch(2)
        #expect(kept.value == nil)
        store.dispatch(1)
        #expect(kept.value?.isCancelled == false)
        store.dispatch(-1)
        #expect(kept.value?.isCancelled == true)
    }

    // MARK: - Of a collection

    /// Something that wants one effect for each of its keys.
    private struct Element: Identifiable, Sendable, Equatable {
        let id: String
        var keys: [String]
    }

    private enum ElementsAction: Sendable {
        case element(ElementIDAction<String, [String]>)
        case remove(String)
        case insert(Element)
    }

    private typealias Part = SupervisingMiddleware<[String], [String], Element, Void>

    /// The supervision of one element, which tells whose effect starts and is cancelled.
    private func part() -> Part {
        Part(dependencies: ()) { [self] element, _ in
            .merge(element.keys.map { effect("\(element.id)/\($0)", token: $0 == "place" ? nil : $0) })
        }
    }

    /// A store of elements; removing and inserting is no action of an element.
    private func store(_ initial: [Element]) -> Store<ElementsAction, [Element]> {
        Store(
            initialState: initial,
            reducer: .reduce { action, state in
                switch action {
                case .element(let action):
                    guard let index = state.firstIndex(where: { $0.id == action.id }) else { return }
                    state[index].keys = action.action
                case .remove(let id): state.removeAll { $0.id == id }
                case .insert(let element): state.insert(element, at: 0)
                }
            },
            middleware: MiddlewareReader<Void, Part> { [self] _ in part() }
                .liftToCollection(
                    inputAction: { (action: ElementsAction) in
                        if case .element(let action) = action { action } else { nil }
                    },
                    outputAction: ElementsAction.element, state: { (state: [Element]) in state }
                ).inject(()))
    }

    @Test
    func `of a collection each element has effects of its own, from before the first action until it leaves`()
    {
        let store = store([Element(id: "a", keys: ["x", "place"]), Element(id: "b", keys: ["x"])])
        #expect(trace.lines == ["+a/x", "+a/place", "+b/x"])
        store.dispatch(.element(ElementIDAction(id: "b", action: ["x", "y"])))
        #expect(trace.lines.suffix(1) == ["+b/y"])
        store.dispatch(.insert(Element(id: "c", keys: ["place"])))
        #expect(trace.lines.suffix(1) == ["+c/place"])
        store.dispatch(.element(ElementIDAction(id: "a", action: ["x"])))
        #expect(trace.lines.suffix(1) == ["-a/place"])
        store.dispatch(.remove("b"))
        #expect(trace.lines.suffix(2).sorted() == ["-b/x", "-b/y"])
        #expect(trace.lines.count == 8)
    }

    @Test func `what it emits for an element is an action of that element`() {
        let part = Part(dependencies: ()) { element, _ in
            element.keys.isEmpty ? .doNothing : .just(element.keys + ["more"])
        }
        let outputs = Trace()
        let lifted: SupervisingMiddleware<String, String, [Element], Void> = part.liftToCollection(
            inputAction: { _ in nil }, outputAction: { "\($0.id): \($0.action)" }, state: { $0 })
        lifted.start(state: GetState { [Element(id: "a", keys: ["x"]), Element(id: "b", keys: [])] })
            .run { outputs.add($0.action) }
        #expect(outputs.lines == [#"a: ["x", "more"]"#])
    }

    @Test(arguments: ["by index", "by key paths", "erased", "composed, gated and lifted"])
    func `a lift that could not tell elements apart says so when it is made`(_ way: String) async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [way = way as String] in
            typealias Plain = SupervisingMiddleware<Int, Int, Item, Void>
            let part = Plain(dependencies: ()) { _, _ in .doNothing }
            let byID = { (action: Int) -> ElementIDAction<Int, Int>? in
                ElementIDAction(id: action, action: action)
            }
            switch way {
            case "by index":
                _ = part.liftToCollection(
                    inputAction: { (action: Int) in ElementIndexAction(index: action, action: action) },
                    outputAction: \.action, state: { (items: [Item]) in items })
            case "by key paths":
                _ = part.liftToCollection(action: \ItemAction.item, stateCollection: \[Item].self)
            case "erased":
                _ = AnyMiddleware(part).liftToCollection(
                    inputAction: byID, outputAction: \.action, state: { (items: [Item]) in items })
            default:
                let gated = part.gated(controlActionMap: { $0 > 0 }, default: .active)
                let lifted = gated.lift(
                    inputAction: { (action: Int) -> Int? in action }, outputAction: \.self,
                    state: { (item: Item) in item })
                _ = (lifted <> AnyMiddleware { _, _, _ in .pure() }).liftToCollection(
                    inputAction: byID, outputAction: \.action, state: { (items: [Item]) in items })
            }
        }
        let words = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains(
                "Fatal error: a SupervisingMiddleware must be lifted to a collection by id, with inputAction, outputAction and "
                    + "state, before its type is hidden or it is composed; lifted otherwise it could not tell the elements' "
                    + "effects apart\n"))
    }

    private struct Item: Identifiable, Sendable { let id: Int }

    private struct ItemAction: Sendable { var item: ElementIDAction<Int, Int>? }
}
