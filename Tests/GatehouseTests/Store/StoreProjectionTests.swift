// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoreProjectionTests {
    private let trace = Trace()
    private let store: Store<Int, Int>
    /// Takes numbers as text, shows whether the state is odd.
    private let projection: StoreProjection<String, Bool>

    init() {
        let trace = trace
        let probe = AnyMiddleware<Int, Int, Int> { action, source, _ in
            trace.add("\(action) from \(source.file)")
            return .pure()
        }
        store = Store(initialState: 0, reducer: .adding, middleware: probe)
        projection = store.projection(action: { Int($0) }, state: { !$0.isMultiple(of: 2) })
    }

    @Test func `actions are mapped and keep their source`() {
        projection.dispatch("3", from: .named("view"))
        #expect(store.state == 3)
        #expect(trace.lines == ["3 from view"])
    }

    @Test func `an action that maps to nil is dropped`() {
        projection.dispatch("three")
        #expect(trace.lines == [])
    }

    @Test func `every change is told, also when the projected states are equal`() {
        let subscription = projection.observe(.always) { [trace] in trace.add("\($0)") }
        store.dispatch(1, from: .named("a"))
        store.dispatch(2, from: .named("a"))
        #expect(trace.lines == ["1 from a", "true", "2 from a", "true"])
        subscription.cancel()
    }

    @Test func `a policy compares the projected states`() {
        let subscription = projection.observe(.whenDifferent) { [trace] in trace.add("\($0)") }
        for action in [2, 3, 4, 5] { store.dispatch(action, from: .named("a")) }
        #expect(trace.lines.filter { !$0.contains("from") } == ["true", "false"])
        subscription.cancel()
        store.dispatch(1)
        #expect(trace.lines.filter { !$0.contains("from") } == ["true", "false"])
    }

    @Test func `a projection reads the projected state`() {
        store.dispatch(1)
        projection.read { [trace] in trace.add("read \($0)") }
        #expect(trace.lines.last == "read true")
    }

    @Test func `projections may be projected`() {
        let narrow: StoreProjection<Character, String> = projection.projection(
            action: { $0 == "x" ? nil : String($0) }, state: { $0 ? "odd" : "even" })
        narrow.dispatch("x")
        narrow.dispatch("7")
        narrow.dispatch("?")
        #expect(store.state == 7)
        narrow.read { [trace] in trace.add($0) }
        #expect(trace.lines.last == "odd")
    }

    @Test func `the action map runs in the drain, however often the store is erased`() {
        let store = store
        let inside = store.eraseToAnyStoreType().projection(
            action: { (action: Int) in store.drain.isCurrent ? action : nil }, state: { $0 })
        inside.eraseToAnyStoreType().contramapAction { (action: Int) in
            store.drain.isCurrent ? action : 0
        }.dispatch(5)
        inside.eraseToAnyActionHandler().contramap { (action: Int) in
            store.drain.isCurrent ? action : 0
        }.dispatch(6)
        #expect(store.state == 11)
    }

    @Test func `mapping the state keeps the actions, mapping the actions keeps the state`() {
        store.mapState { "\($0)" }.dispatch(2)
        store.contramapAction { (text: String) in text.count }.dispatch("four")
        #expect(store.state == 6)
        store.mapState { "<\($0)>" }.read { [trace] in trace.add($0) }
        #expect(trace.lines.last == "<6>")
    }

    @Test func `a projection holds its store`() {
        func project() -> StoreProjection<Int, Int> {
            Store<Int, Int>(initialState: 1, reducer: .adding).projection(action: { $0 }, state: { $0 })
        }
        let alone = project()
        alone.dispatch(1)
        alone.read { [trace] in trace.add("\($0)") }
        #expect(trace.lines == ["2"])
    }

    @Test func `projecting by the identity maps, or twice, is projecting once`() {
        forAll { random in
            let actions = random.numbers(0...9, upTo: 6)
            let (factor, sum) = (random.number(1...3), random.number(0...4))
            func run(_ make: (Store<Int, Int>) -> AnyStoreType<Int, Int>) -> [String] {
                let trace = Trace()
                let store = Store<Int, Int>(initialState: 0, reducer: .adding)
                let view = make(store)
                let subscription = view.observe(.always) { trace.add("\($0)") }
                for action in actions { view.dispatch(action) }
                view.read { trace.add("last \($0)") }
                subscription.cancel()
                return trace.lines
            }
            return (
                run { store in
                    store.projection(action: { $0 }, state: { $0 })
                        .projection(action: { $0 % 2 == 0 ? $0 * factor : nil }, state: { $0 + sum })
                        .projection(action: { $0 + 1 }, state: { $0 * 2 })
                },
                run { store in
                    store.projection(
                        action: { ($0 + 1) % 2 == 0 ? ($0 + 1) * factor : nil }, state: { ($0 + sum) * 2 })
                }
            )
        }
    }

    @Test func `a store may be made of a closure for actions and a source of states`() {
        let made = AnyStoreType<String, Int>(
            action: { [trace] in trace.add("\($0.action) from \($0.dispatcher.file)") },
            state: store.eraseToAnyStateProvider())
        made.dispatch("x", from: .named("view"))
        #expect(trace.lines == ["x from view"])
        made.read { #expect($0 == store.state) }
    }
}
