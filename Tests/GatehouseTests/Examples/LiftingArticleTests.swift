// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

/// The article about lifting and gating: its lamps in a house.
@Suite(.timeLimit(.minutes(5)))
struct LiftingArticleTests {
    /// Turns the lamp off when there is light enough.
    private static var lamp:
        MiddlewareReader<
            Lamp.World, EffectMiddleware<Lamp.Action, Lamp.Action, Lamp.State, Lamp.World>
        >
    {
        .onAction { action, _, context in
            guard case .turn(on: true) = action else { return .doNothing }
            return .task { (try? await context.measure()).map { .noticed("\($0) lux") } }
        }
    }

    private static var reducer: Reducer<House.Action, House.State> {
        Lamp.reducer.lift(action: \House.Action.door, state: \House.State.door)
            <> Lamp.reducer.liftToCollection(
                action: \House.Action.room, stateCollection: \House.State.rooms)
    }

    private func makeStore<M: MiddlewareProtocol<House.Action, House.Action, House.State>>(
        _ reader: MiddlewareReader<House.World, M>
    ) -> TestStore<House.Action, House.State> {
        let world = House.World(clock: ManualClock(), lightMeter: { 7 })
        return TestStore(
            initialState: House.State(), reducer: Self.reducer, middleware: reader.inject(world))
    }

    @Test func `a lifted lamp hears the actions of its place and emits them there`() async throws {
        let door = Self.lamp.lift(
            inputAction: \House.Action.door, outputAction: House.Action.door,
            state: \House.State.door, dependencies: \House.World.lamp)

        let store = makeStore(door)
        try store.send(.presence(true))
        try store.send(.door(.turn(on: true))) { $0.door.isOn = true }
        try await store.receive(.door(.noticed("7 lux")))
        try await store.finish()
    }

    @Test func `one middleware serves all elements of a collection`() async throws {
        let rooms = Self.lamp
            .contramapDependencies(\House.World.lamp)
            .mapMiddleware {
                $0.liftToCollection(action: \House.Action.room, stateCollection: \House.State.rooms)
            }

        let store = makeStore(rooms)
        try store.send(.room(ElementIDAction(id: 2, action: .turn(on: true)))) { $0.rooms[1].isOn = true }
        try await store.receive(.room(ElementIDAction(id: 2, action: .noticed("7 lux"))))
        try await store.finish()
    }

    @Test func `a gate outside the lift is moved by an action that the lift does not map`() async throws {
        let door = Self.lamp
            .lift(
                inputAction: \House.Action.door, outputAction: House.Action.door,
                state: \House.State.door, dependencies: \House.World.lamp
            )
            .mapMiddleware { $0.gated(controlAction: \House.Action.presence, default: .bypass) }

        let store = makeStore(door)
        try store.send(.door(.turn(on: true))) { $0.door.isOn = true }
        try store.send(.presence(true))
        try store.send(.door(.turn(on: true)))
        try await store.receive(.door(.noticed("7 lux")))
        try store.send(.presence(false))
        try store.send(.door(.turn(on: true)))
        try await store.finish()
    }

    @Test func `a gate may follow the state, and take running effects along`() async throws {
        let sensing = Self.lamp.mapMiddleware { $0.gated(state: \Lamp.State.isOn, onClose: .cancel) }

        let store = TestStore(
            initialState: Lamp.State(), reducer: Lamp.reducer,
            middleware: sensing.inject(Lamp.World(clock: ManualClock(), measure: { 7 })))
        // The gate is asked before the reducers.
        try store.send(.turn(on: true)) { $0.isOn = true }
        try store.send(.turn(on: true))
        try await store.receive(.noticed("7 lux"))
        try await store.finish()
    }
}
