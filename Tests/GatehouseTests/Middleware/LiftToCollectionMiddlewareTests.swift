// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LiftToCollectionMiddlewareTests {
    /// One element of the collection.
    struct Lamp: Identifiable, Equatable {
        let id: String
        var level: Int
    }

    /// What the whole knows.
    struct House {
        var lamps: [Lamp]
    }

    /// What the whole does.
    enum Action: Equatable {
        case lamp(ElementIDAction<String, Int>)
        case place(ElementIndexAction<Int, Int>)
        case remove(String)

        /// The action for a lamp, if it is one.
        var lamp: ElementIDAction<String, Int>? {
            get { if case .lamp(let action) = self { action } else { nil } }
            set { if let newValue, lamp != nil { self = .lamp(newValue) } }
        }

        /// The action for a place, if it is one.
        var place: ElementIndexAction<Int, Int>? {
            get { if case .place(let action) = self { action } else { nil } }
            set { if let newValue, place != nil { self = .place(newValue) } }
        }
    }

    private let trace = Trace()

    /// Writes down what it sees of a lamp; answers levels below 10 with ten times as much.
    private func part() -> AnyMiddleware<Int, Int, Lamp> {
        let trace = trace
        return AnyMiddleware { action, source, lamp in
            trace.add("handle \(action) at \(lamp().id) \(lamp().level)")
            return IO { output in
                trace.add("io \(action) at \(lamp().id) \(lamp().level)")
                if action < 10 { output.dispatch(action * 10, from: source) }
            }
        }
    }

    /// The part lifted by closures, by id.
    private func byID() -> some MiddlewareProtocol<Action, Action, House> {
        part().liftToCollection(
            inputAction: { (action: Action) in action.lamp }, outputAction: { Action.lamp($0) },
            state: { (house: House) in house.lamps })
    }

    /// The part lifted by key paths.
    private func byKeyPath() -> some MiddlewareProtocol<Action, Action, House> {
        part().liftToCollection(action: \Action.lamp, stateCollection: \House.lamps)
    }

    /// The part lifted by index.
    private func byIndex() -> some MiddlewareProtocol<Action, Action, House> {
        part().liftToCollection(
            inputAction: { (action: Action) in action.place }, outputAction: { Action.place($0) },
            state: { (house: House) in house.lamps })
    }

    /// Sets levels, removes lamps.
    private static func reducer() -> Reducer<Action, House> {
        let level = Reducer<Int, Lamp>.reduce { $1.level = $0 }
        return level.liftToCollection(action: \Action.lamp, stateCollection: \House.lamps)
            <> level.liftToCollection(action: \Action.place, stateCollection: \House.lamps)
            <> .reduce { action, house in
                if case .remove(let id) = action { house.lamps.removeAll { $0.id == id } }
                if case .lamp(let lamp) = action, lamp.action == 0 {
                    house.lamps.removeAll { $0.id == lamp.id }
                }
            }
    }

    /// Runs actions over two lamps; gives the lines and the last lamps.
    private func run<Middleware: MiddlewareProtocol<Action, Action, House>>(
        _ middleware: sending Middleware, _ actions: Action...
    ) -> ([String], [Lamp]) {
        let store = Store<Action, House>(
            initialState: House(lamps: [Lamp(id: "a", level: 1), Lamp(id: "b", level: 2)]),
            reducer: Self.reducer(), middleware: middleware)
        for action in actions { store.dispatch(action, from: .named("test")) }
        return (trace.lines, store.withState { $0.lamps })
    }

    private static let expected = (
        [
            "handle 5 at b 2", "io 5 at b 5", "handle 50 at b 5", "io 50 at b 50",
        ], [Lamp(id: "a", level: 1), Lamp(id: "b", level: 50)]
    )

    @Test func `by id, the element sees its state before and after, and its outputs are tied to it`() {
        #expect(run(byID(), .lamp(ElementIDAction(id: "b", action: 5))) == Self.expected)
    }

    @Test func `by key path, outputs are written into the action they answer`() {
        #expect(run(byKeyPath(), .lamp(ElementIDAction(id: "b", action: 5))) == Self.expected)
    }

    @Test func `by index, the element sees its state before and after, and its outputs are tied to it`() {
        #expect(run(byIndex(), .place(ElementIndexAction(index: 1, action: 5))) == Self.expected)
    }

    @Test func `by index and key path, outputs are written into the action they answer`() {
        let lifted = part().liftToCollection(action: \Action.place, stateCollection: \House.lamps)
        #expect(run(lifted, .place(ElementIndexAction(index: 1, action: 5))) == Self.expected)
    }

    @Test(arguments: [2, -1, Int.max, Int.min])
    func `an index outside of the collection is for nobody`(index: Int) {
        let (lines, lamps) = run(byIndex(), .place(ElementIndexAction(index: index, action: 5)))
        #expect(lines == [])
        #expect(lamps.map(\.level) == [1, 2])
    }

    @Test func `an id that no element has, and an action without this part, are for nobody`() {
        let (lines, lamps) = run(
            byID(), .lamp(ElementIDAction(id: "c", action: 5)),
            .place(ElementIndexAction(index: 9, action: 5)))
        #expect(lines == [])
        #expect(lamps.map(\.level) == [1, 2])
    }

    @Test func `an element that has been removed meanwhile is seen as it was when the action was handled`() {
        let (lines, lamps) = run(byID(), .lamp(ElementIDAction(id: "a", action: 0)))
        #expect(lines == ["handle 0 at a 1", "io 0 at a 1"])
        #expect(lamps.map(\.id) == ["b"])
    }

    @Test func `the first of several elements with one id counts`() {
        let lamps = [Lamp(id: "a", level: 1), Lamp(id: "a", level: 2)]
        _ = byID().handle(
            action: .lamp(ElementIDAction(id: "a", action: 5)), from: .named("test"),
            state: GetState { House(lamps: lamps) })
        #expect(trace.lines == ["handle 5 at a 1"])
        var house = House(lamps: lamps)
        #expect(Self.reducer().apply(.lamp(ElementIDAction(id: "a", action: 5)), &house) == .changed)
        #expect(house.lamps.map(\.level) == [5, 2])
    }

    @Test func `gates and cancelling reach the part`() {
        let part = Probe(name: "p", trace: trace)
        let lifted = part.liftToCollection(
            inputAction: { (_: Int) in ElementIndexAction?.none }, outputAction: \.action,
            state: { (state: [Int]) in state })
        lifted.gateChanged(to: .bypass)
        lifted.cancelEffects()
        #expect(trace.lines == ["p gate bypass", "p cancelled"])
    }
}
