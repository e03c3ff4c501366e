// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization
import Testing

/// The program of the article for app developers: `Search`, `App` and `Journal`, run in a store.
@Suite(.timeLimit(.minutes(5)))
struct GettingStartedTests {
    /// A catalog that finds one tea.
    private let catalog = Search.Catalog { query in ["\(query) from Assam"] }

    @Test func `an action leads to a result, and a closed gate to none`() async {
        let lines = Mutex<[String]>([])
        let world = App.World(catalog: catalog, log: { line in lines.withLock { $0.append(line) } })

        let store = Store(
            initialState: App.State(), reducer: App.reducer, middleware: App.middleware.inject(world))
        let results = store.mapState { $0.search.results }.states(.whenDifferent)

        var iterator = results.makeAsyncIterator()
        #expect(await iterator.next() == [])
        let idle = Signal()
        store.activity.onIdle { idle.fire() }
        store.dispatch(.search(.query("tea")))
        #expect(await iterator.next() == ["tea from Assam"])
        await idle.wait()
        store.dispatch(.goOnline(true))
        store.dispatch(.goOnline(false))
        store.dispatch(.search(.query("coffee")))
        #expect(store.state.search.query == "coffee")
        #expect(store.activity.isIdle)
        let action = "GatehouseTests.Search.Action"
        #expect(
            lines.withLock { $0 } == [
                #"search(\#(action).query("tea"))"#,
                #"search(\#(action).found(["tea from Assam"]))"#,
                "goOnline(true), nothing changed",
                "goOnline(false)",
                #"search(\#(action).query("coffee"))"#,
            ])
    }

    @Test func `a projection takes a view's events and shows a view's state`() async {
        let store = Store(
            initialState: App.State(), reducer: App.reducer,
            middleware: App.middleware.inject(App.World(catalog: catalog, log: { _ in })))

        let view = store.projection(
            action: { (typed: String) in .search(.query(typed)) },
            state: { state in state.search.results.joined(separator: ", ") })

        var texts = view.states(.whenDifferent).makeAsyncIterator()
        #expect(await texts.next() == "")
        view.dispatch("tea")
        #expect(await texts.next() == "tea from Assam")
        // It keeps the store; without either, the effect would be cancelled.
        withExtendedLifetime(view) {}
    }

    @Test func `an interceptor keeps a query from the reducers while the program is offline`() {
        let world = App.World(catalog: catalog, log: { _ in })

        let offline = AnyInterceptor<App.Action, App.State> { action, _, state, _, next in
            if case .search(.query) = action, !state().isOnline { return }
            next()
        }
        let store = Store(
            initialState: App.State(), reducer: App.reducer, middleware: App.middleware.inject(world),
            interceptors: [offline])

        store.dispatch(.goOnline(false))
        store.dispatch(.search(.query("tea")))
        #expect(store.state == App.State(isOnline: false))
        store.dispatch(.goOnline(true))
        store.dispatch(.search(.query("tea")))
        #expect(store.state.search.query == "tea")
    }

    @Test func `a catalog that fails is told by an action like any other`() async {
        struct Closed: Error {}
        let store = Store(
            initialState: Search.State(), reducer: Search.reducer,
            middleware: Search.middleware.inject(Search.Catalog { _ in throw Closed() }))
        let idle = Signal()
        store.activity.onIdle { idle.fire() }
        store.dispatch(.query("tea"))
        await idle.wait()
        #expect(store.state == Search.State(query: "tea"))
    }

    @Test func `a middleware is tried without a store`() {
        let lines = Trace()
        let journal = Journal(log: { lines.add($0) })
        let answer = journal.handle(action: .goOnline(true), from: .here(), state: GetState { App.State() })
        #expect(lines.lines == [])
        answer.run { (_: DispatchedAction<App.Action>) in Issue.record("it only listens") }
        #expect(lines.lines == ["goOnline(true), nothing changed"])
    }
}
