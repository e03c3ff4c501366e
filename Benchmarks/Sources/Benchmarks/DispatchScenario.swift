// SPDX-License-Identifier: Apache-2.0

import GatehouseRuntime
import GatehouseSDK

/// Actions dispatched into a host, one after the other from one thread.
struct DispatchScenario: Sendable {
    /// Names it in the table and in `instructions.txt`.
    let name: String
    /// Makes the host, and what dispatches into it as often as it is told.
    let make: @Sendable () throws -> (Int) -> Void

    private init(_ name: String, make: @escaping @Sendable () throws -> (Int) -> Void) {
        self.name = name
        self.make = make
    }

    /// The one that others are compared with.
    static let loaded = sending("loaded", "i0/ping") { try Installation.loaded("Listener") }

    /// All but those with many installed.
    static let all: [DispatchScenario] = [
        sending("nobody hears", "nobody/hears") { try Installation.loaded("Listener") },
        loaded,
        sending("linked in", "i0/ping") { try Installation.linked() },
        sending("wildcard", "i0/ping") { try Installation.loaded("Everything") },
        sending("gated by action", "i0/ping") {
            try Installation.loaded(
                "Listener",
                #","gate":{"control":{"type":"g/x"},"turnOn":1,"turnOff":0,"default":"active"}"#)
        },
        sending("gated by state", "i0/ping") {
            try Installation.loaded(
                "Listener", #","gate":{"state":"/features/x"}"#, state: #"{"features":{"x":true}}"#)
        },
        withPayloadAndLongFileName,
        sending("effect without emission", "i0/ping") {
            try Installation.loaded("Listener", #","settings":{"answersWithEffect":true}"#)
        },
        sending("effect emitting one", "i0/bump") {
            try Installation.loaded("Tally", #","settings":{"answers":true}"#)
        },
        sending("typed reducer, no payload", "i0/bump") { try Installation.loaded("Tally") },
        adding("foreign, in C", "ping") { try Installation.loaded("Foreign") },
        adding("foreign, in C, answering", "ask") { try Installation.loaded("Foreign") },
        adding(#"typed reducer, {"by":1}"#) { try Installation.loaded("Tally") },
        adding(#"typed reducer, {"by":1}, Codable"#) { try Installation.loaded("CodableTally") },
        sending("2 interested", "x/ping") {
            try Installation.loaded("Listener", count: 2, #","lift":{"input":"x/"}"#)
        },
        sending("8 interested", "x/ping") {
            try Installation.loaded("Listener", count: 8, #","lift":{"input":"x/"}"#)
        },
        sending("8 interested, with reducers", "x/bump") {
            try Installation.loaded("Tally", count: 8, #","lift":{"input":"x/"}"#)
        },
    ]

    /// One of `count` instances listens.
    static func installed(_ count: Int) -> DispatchScenario {
        sending("\(count) installed", "i0/ping") { try Installation.loaded("Listener", count: count) }
    }

    // MARK: - Implementation details

    /// The same action without a payload, again and again.
    private static func sending(
        _ name: String, _ type: String, into make: @escaping @Sendable () throws -> Host
    ) -> DispatchScenario {
        DispatchScenario(name) {
            let host = try make()
            let action = AnyAction(ActionType(type))
            let source = ActionSource.here()
            return { repetitions in
                for _ in 0..<repetitions { host.dispatch(action, from: source) }
            }
        }
    }

    /// A new action with `{"by":1}` each time, as input makes them: nothing remembers what was decoded.
    private static func adding(
        _ name: String, _ type: String = "add", into make: @escaping @Sendable () throws -> Host
    ) -> DispatchScenario {
        DispatchScenario(name) {
            let host = try make()
            let type = ActionType("i0/" + type)
            let tape = Tape.make(.object(["by": .integer(1)]))
            let source = ActionSource.here()
            return { repetitions in
                for _ in 0..<repetitions {
                    host.dispatch(AnyAction(type, tape: tape.root, error: false, meta: nil), from: source)
                }
            }
        }
    }

    /// As actions from files are: the name of the input does not fit into a small string.
    private static let withPayloadAndLongFileName = DispatchScenario("with a payload, from a long file name")
    {
        let host = try Installation.loaded("Listener")
        let action = AnyAction("i0/ping", payload: .object([:]))
        let file = String(repeating: "/var/spool/actions", count: 2)
        let source = ActionSource(file: file, function: "", line: 3, info: nil)
        return { repetitions in
            for _ in 0..<repetitions { host.dispatch(action, from: source) }
        }
    }
}
