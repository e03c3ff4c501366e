// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc

/// Adds numbers up; the second form of its state, made out of that of `MigrantOne` in ways that are not all right.
struct Migrant: MigratingPlugin {
    enum Action: PluginAction {
        case add(Int)
        case plan(deed: String)
    }

    struct State: Codable, Sendable { var sum = 0 }

    /// 2, unless the environment says another one.
    static var stateVersion: Int {
        guard let text = unsafe getenv("MIGRANT_VERSION") else { return 2 }
        return unsafe Int(String(cString: text)) ?? 2
    }

    static func migrate(_ state: Value, from version: Int) throws -> Value {
        switch state["deed"] {
        case "throw":
            throw CodingFailure(
                pointer: JSONPointer(tokens: ["total"]), expected: "a number of the first half",
                found: "another")
        case "trap": fatalError("no way from \(version)")
        case "loop": while true {}
        case "misfit": return ["sum": "much"]
        case .string(let deed) where deed.hasPrefix("halt:"): halt(at: String(deed.dropFirst(5)))
        default: break
        }
        return ["sum": state["total"] ?? 0]
    }

    /// Says who has come to a place, and waits there until it may go on.
    private static func halt(at path: String) {
        let arrival = unsafe open(path + ".arrivals", O_WRONLY | O_CLOEXEC)
        _ = unsafe withUnsafeBytes(of: getpid()) { unsafe write(arrival, $0.baseAddress, $0.count) }
        close(arrival)
        let departure = unsafe open(path + ".departures", O_RDONLY | O_CLOEXEC)
        var leave: UInt8 = 0
        _ = unsafe read(departure, &leave, 1)
        close(departure)
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            if case .add(let number) = action { state.sum &+= number }
        }
    }

    static func middleware() -> Reader { .doNothing() }
}
