// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// The examples in the doc comments of the core's central types, run.
@Suite(.timeLimit(.minutes(10)))
struct CentralTypesTests {
    enum LampAction: Sendable, Equatable { case toggle, dim(Int) }

    struct Lamp: Sendable, Equatable {
        var isOn = false
        var brightness = 10
    }

    enum HouseAction: Sendable, Equatable {
        case lamp(LampAction), close(Bool)

        var lamp: LampAction? { if case .lamp(let action) = self { action } else { nil } }
    }

    struct House: Sendable, Equatable {
        var lamp = Lamp()
        var isClosed = false
    }

    /// What the middlewares may use.
    struct World: Sendable {
        var steps: Int
    }

    /// The state of a lamp after these actions.
    private static func run<M: MiddlewareProtocol<LampAction, LampAction, Lamp>>(
        _ middleware: sending M, _ actions: LampAction...
    ) -> Lamp {
        let store = Store(initialState: Lamp(), reducer: switching, middleware: middleware)
        for action in actions { store.dispatch(action) }
        return store.state
    }

    static var switching: Reducer<LampAction, Lamp> {
        .reduce { action, lamp in
            switch action {
            case .toggle: lamp.isOn.toggle()
            case .dim(let steps): lamp.brightness -= steps
            }
        }
    }

    static func night(_ steps: Int) -> SimpleEffectMiddleware<LampAction, Lamp> {
        .onAction { action, lamp, _ in
            guard action == .toggle, lamp().isOn else { return .doNothing }
            return .just(.dim(steps))
        }
    }

    final class Journal: MiddlewareProtocol {
        let trace: Trace
        init(_ trace: Trace) { self.trace = trace }

        func handle(
            action: LampAction, from dispatcher: ActionSource, state: GetState<Lamp>
        ) -> IO<LampAction> {
            let before = state().brightness
            return IO { [trace] _ in trace.add("\(before) -> \(state().brightness)") }
        }
    }

    struct NoDimmingInTheDark: InterceptorProtocol {
        func intercept(
            action: LampAction, from dispatcher: ActionSource, state: OwnState<LampAction, Lamp>,
            output: AnyActionHandler<LampAction>, next: Next<LampAction>
        ) {
            if action == .toggle || state().isOn { next() }
        }
    }

    @Test func `a store runs an action and tells its observers`() {
        let switching = Self.switching
        let trace = Trace()
        let store = Store(initialState: Lamp(), reducer: switching)
        let subscription = store.observe { lamp in trace.add("\(lamp.brightness)") }
        store.dispatch(.dim(3))
        subscription.cancel()
        #expect(trace.lines == ["7"])
    }

    @Test func `a middleware sees the state before and after`() {
        let trace = Trace()
        #expect(Self.run(Journal(trace), .dim(3)).brightness == 7)
        #expect(trace.lines == ["10 -> 7"])
    }

    @Test func `a reader waits for what its middleware needs`() {
        let night = MiddlewareReader { (world: World) in Self.night(world.steps) }
        let middleware = night.inject(World(steps: 4))
        #expect(Self.run(middleware, .toggle) == Lamp(isOn: true, brightness: 6))
    }

    @Test func `an effect of several actions emits them in order`() {
        let middleware = EffectMiddleware<LampAction, LampAction, Lamp, Void>.onAction { action, _, _ in
            guard action == .toggle else { return .doNothing }
            let fade: Effect<Void, LampAction> = .sequence(.dim(1), .dim(2))
            return fade <> .just(.dim(3))
        }
        #expect(Self.run(middleware, .toggle) == Lamp(isOn: true, brightness: 4))
    }

    @Test func `a gate by state asks for the state before the action`() {
        let night = Self.night(4)
        let whileOn = night.gated(state: \Lamp.isOn)
        #expect(Self.run(whileOn, .toggle) == Lamp(isOn: true, brightness: 10))
    }

    @Test func `reducers of parts make one of the whole`() {
        let switching = Self.switching
        let closing = Reducer<HouseAction, House>.reduce { action, house in
            if case .close(let isClosed) = action { house.isClosed = isClosed }
        }
        let house = switching.lift(action: \HouseAction.lamp, state: \House.lamp) <> closing
        let store = Store(initialState: House(), reducer: house)
        store.dispatch(.lamp(.toggle))
        store.dispatch(.close(true))
        #expect(store.state == House(lamp: Lamp(isOn: true), isClosed: true))
    }

    @Test func `work does nothing before it is run`() {
        let trace = Trace()
        let work = IO<Int> { output in for number in 1...3 { output.dispatch(number) } }
        work.map { $0 * 10 }.run { dispatched in trace.add("\(dispatched.action)") }
        #expect(trace.lines == ["10", "20", "30"])
    }

    @Test func `an interceptor stops an action`() {
        let store = Store(
            StoreParts(
                initialState: Lamp(), reducer: Self.switching, middleware: IdentityMiddleware(),
                interceptors: [NoDimmingInTheDark().eraseToAnyInterceptor()]))
        store.dispatch(.dim(3))
        #expect(store.state.brightness == 10)
    }

    @Test func `members join in order`() {
        let trace = Trace()
        let both = Journal(trace) <> Self.night(4)
        #expect(Self.run(both, .toggle).brightness == 6)
        #expect(trace.lines == ["10 -> 10", "10 -> 6"])
    }
}
