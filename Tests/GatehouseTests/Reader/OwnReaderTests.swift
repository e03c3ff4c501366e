// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// A reader type of somebody else's, which counts nothing on `MiddlewareReader`.
private struct OwnReader<Dependencies, MiddlewareType: MiddlewareProtocol>: MiddlewareReaderProtocol {
    let inject: (Dependencies) -> MiddlewareType

    init(inject: @escaping (Dependencies) -> MiddlewareType) {
        self.inject = inject
    }
}

/// The protocol is open: two members give a reader type every operator.
@Suite(.timeLimit(.minutes(10)))
struct OwnReaderTests {
    private typealias Own = OwnReader<String, Probe>

    private let trace = Trace()

    /// Writes down each injection; answers by ten times the action.
    private var own: Own {
        Own { [trace] name in
            trace.add("inject \(name)")
            return Probe(name: name, trace: trace) { [$0 * 10] }
        }
    }

    /// What a middleware emits in answer to an action.
    private func outputs<Middleware: MiddlewareProtocol>(
        _ middleware: Middleware, _ action: Middleware.InputActionType, _ state: Middleware.StateType
    ) -> [String] {
        let outputs = Trace()
        middleware.handle(action: action, from: .named("x"), state: GetState { state })
            .run { outputs.add("\($0.action)") }
        return outputs.lines
    }

    @Test func `pure gives the same reader type`() {
        let pure: Own = .pure(Probe(name: "p", trace: trace))
        #expect(pure.inject("any").name == "p")
    }

    @Test func `identity injects an identity`() {
        let identity: MiddlewareReader<String, IdentityMiddleware<Int, Int, Int>> = Own.identity
        #expect(identity.inject("any").eraseToAnyMiddleware().isIdentity)
    }

    @Test func `middlewares that are a monoid make its readers a monoid of their own type`() {
        typealias Row = OwnReader<String, ComposedMiddleware<Int, Int, Int>>
        let own = own
        let row = Row { ComposedMiddleware([own.inject($0).eraseToAnyMiddleware()]) }
        let identity: Row = .identity
        let joined: Row = identity <> row <> row
        #expect(joined.inject("x").members.count == 2)
        #expect(trace.lines == ["inject x", "inject x"])
    }

    @Test func `it joins readers of other middlewares on its right`() {
        let other = MiddlewareReader<String, AnyMiddleware<Int, Int, Int>> {
            Probe(name: $0, trace: Trace()).eraseToAnyMiddleware()
        }
        #expect((own <> other).inject("x").members.count == 2)
    }

    @Test func `it is mapped, contramapped, dimapped and chained`() {
        let mapped = own.mapMiddleware { $0.eraseToAnyMiddleware() }
        #expect(outputs(mapped.inject("a"), 1, 0) == ["10"])
        #expect(own.contramapDependencies { (world: Int) in "w\(world)" }.inject(1).name == "w1")
        let both = own.dimap(
            transformMiddleware: { $0.eraseToAnyMiddleware() },
            extractOnlyDependenciesNeededForThisMiddleware: { (world: Int) in "w\(world)" })
        #expect(outputs(both.inject(2), 2, 0) == ["20"])
        let chained: Own = own.flatMap { first in
            Own { Probe(name: first.name + $0, trace: Trace()) }
        }
        #expect(chained.inject("c").name == "cc")
        #expect(outputs(own.eraseMiddleware().inject("e"), 3, 0) == ["30"])
    }

    @Test func `it is zipped with other reader types`() {
        let zipped = Own.zip(own, MiddlewareReader<String, Probe>(inject: own.inject)) { $0 <> $1 }
        #expect(zipped.inject("z").members.count == 2)
    }

    @Test func `it has the fifteen lifts`() {
        let i = { (text: String) -> Int? in text.isEmpty ? nil : text.count }
        let o = { (number: Int) in "<\(number)>" }
        let s = { (text: String) in text.count }
        let d = { (world: Int) in "w\(world)" }
        let own = own
        #expect(
            outputs(own.lift(inputAction: i, outputAction: o, state: s, dependencies: d).inject(1), "ab", "s")
                == ["<20>"])
        #expect(
            outputs(own.lift(inputAction: i, outputAction: o, state: s).inject("x"), "ab", "s") == ["<20>"])
        #expect(
            outputs(own.lift(inputAction: i, outputAction: o, dependencies: d).inject(1), "ab", 5) == ["<20>"]
        )
        #expect(outputs(own.lift(inputAction: i, state: s, dependencies: d).inject(1), "ab", "s") == ["20"])
        #expect(outputs(own.lift(outputAction: o, state: s, dependencies: d).inject(1), 2, "s") == ["<20>"])
        #expect(outputs(own.lift(inputAction: i, outputAction: o).inject("x"), "ab", 5) == ["<20>"])
        #expect(outputs(own.lift(inputAction: i, state: s).inject("x"), "ab", "s") == ["20"])
        #expect(outputs(own.lift(inputAction: i, dependencies: d).inject(1), "ab", 5) == ["20"])
        #expect(outputs(own.lift(outputAction: o, state: s).inject("x"), 2, "s") == ["<20>"])
        #expect(outputs(own.lift(outputAction: o, dependencies: d).inject(1), 2, 5) == ["<20>"])
        #expect(outputs(own.lift(state: s, dependencies: d).inject(1), 2, "s") == ["20"])
        #expect(outputs(own.lift(inputAction: i).inject("x"), "ab", 5) == ["20"])
        #expect(outputs(own.lift(outputAction: o).inject("x"), 2, 5) == ["<20>"])
        #expect(outputs(own.lift(state: s).inject("x"), 2, "s") == ["20"])
        #expect(outputs(own.lift(dependencies: d).inject(1), 2, 5) == ["20"])
    }

    @Test func `it is lifted to a collection, by id and by index, by closures and by key paths`() {
        typealias Lamp = LiftToCollectionMiddlewareTests.Lamp
        typealias Action = LiftToCollectionMiddlewareTests.Action
        typealias House = LiftToCollectionMiddlewareTests.House
        let reader = OwnReader<Int, AnyMiddleware<Int, Int, Lamp>> { factor in
            AnyMiddleware { action, source, lamp in
                IO { $0.dispatch(action * factor + lamp().level, from: source) }
            }
        }
        let house = House(lamps: [Lamp(id: "a", level: 1), Lamp(id: "b", level: 2)])
        let lamp = Action.lamp(ElementIDAction(id: "b", action: 5))
        let place = Action.place(ElementIndexAction(index: 0, action: 5))
        func run<M: MiddlewareProtocol<Action, Action, House>>(_ middleware: M, _ action: Action) -> [String]
        {
            outputs(middleware, action, house)
        }
        let expected = ["\(Action.lamp(ElementIDAction(id: "b", action: 52)))"]
        #expect(
            run(
                reader.liftToCollection(
                    inputAction: { (action: Action) in action.lamp }, outputAction: Action.lamp,
                    state: { (house: House) in house.lamps }
                ).inject(10), lamp) == expected)
        #expect(
            run(
                reader.liftToCollection(action: \Action.lamp, stateCollection: \House.lamps).inject(10), lamp)
                == expected)
        let placed = ["\(Action.place(ElementIndexAction(index: 0, action: 51)))"]
        #expect(
            run(
                reader.liftToCollection(
                    inputAction: { (action: Action) in action.place }, outputAction: Action.place,
                    state: { (house: House) in house.lamps }
                ).inject(10), place) == placed)
        #expect(
            run(
                reader.liftToCollection(action: \Action.place, stateCollection: \House.lamps).inject(10),
                place) == placed)
    }
}
