// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// A lamp: the part that the articles about effects, lifting and gating go through.
enum Lamp {
    enum Action: Sendable, Equatable {
        case turn(on: Bool)
        case noticed(String)
        case dim
    }

    struct State: Sendable, Equatable, Identifiable {
        var id = 0
        var isOn = false
        var brightness = 3
    }

    struct World: Sendable {
        var clock: any Clock<Duration>
        var measure: @Sendable () async throws -> Int
    }

    static var reducer: Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .turn(let isOn): state.isOn = isOn
            case .dim where state.brightness > 0: state.brightness -= 1
            case .dim, .noticed: return .unchanged
            }
            return .changed
        }
    }
}

/// A house with a lamp at the door, lamps in rooms, and somebody who may be at home.
enum House {
    enum Action: Sendable, Equatable {
        case door(Lamp.Action)
        case room(ElementIDAction<Int, Lamp.Action>)
        case presence(Bool)

        var door: Lamp.Action? {
            if case .door(let action) = self { action } else { nil }
        }
        var room: ElementIDAction<Int, Lamp.Action>? {
            get { if case .room(let action) = self { action } else { nil } }
            set { if let newValue { self = .room(newValue) } }
        }
        var presence: Bool? {
            if case .presence(let isHome) = self { isHome } else { nil }
        }
    }

    struct State: Sendable, Equatable {
        var door = Lamp.State()
        var rooms = [Lamp.State(id: 1), Lamp.State(id: 2)]
    }

    struct World: Sendable {
        var clock: any Clock<Duration>
        var lightMeter: @Sendable () async throws -> Int

        var lamp: Lamp.World { Lamp.World(clock: clock, measure: lightMeter) }
    }
}
