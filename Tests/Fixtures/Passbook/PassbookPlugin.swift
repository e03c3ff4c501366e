// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Enters what writers number for each of many keys, so that the states of all partitions together tell what was lost, doubled or overtaken.
struct Passbook: Plugin {
    /// What it hears and emits.
    enum Action: PluginAction {
        /// Enters a number of a writer for a key.
        case enter(key: String, writer: String, number: Int)
        /// Enters how manieth it is that comes from another key.
        case pass(key: String, from: String, number: Int)
    }

    /// What the operator decides.
    struct Settings: PluginSettings {
        /// Each such number is passed on to another key; 0 for none.
        var passing = 10
        /// How many keys there are, from `k0` on.
        var keys = 10_000
    }

    /// The slice of the plugin.
    struct State: Codable, Sendable {
        /// What was entered, by key and by who has numbered it.
        var pages: [String: [String: [[Int]]]] = [:]
        /// What came again, or too late; no more than 100 of them.
        var faults: [String] = []

        /// Enters a number: pairs of first and last of numbers without a gap.
        mutating func enter(_ number: Int, of writer: String, for key: String) {
            let runs = pages[key]?[writer] ?? []
            guard let last = runs.last?[1] else {
                return pages[key, default: [:]][writer] = [[number, number]]
            }
            if number == last + 1 {
                pages[key]?[writer]?[runs.count - 1][1] = number
            } else if number > last {
                pages[key]?[writer]?.append([number, number])
            } else if faults.count < 100 {
                faults.append("\(key): \(number) of \(writer) behind \(last)")
            }
        }
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .enter(let key, let writer, let number): state.enter(number, of: writer, for: key)
            case .pass(let key, let source, let number): state.enter(number, of: source, for: key)
            }
        }
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            let settings = context.settings
            guard case .enter(let key, _, let number) = action, settings.passing > 0,
                number.isMultiple(of: settings.passing), let target = target(of: key, among: settings.keys)
            else { return .doNothing }
            return .just(.pass(key: target, from: key, number: number / settings.passing))
        }
    }

    /// The key that hears from another one; nil for a key without a number.
    private static func target(of key: String, among keys: Int) -> String? {
        guard keys > 0, let number = Int(key.dropFirst()) else { return nil }
        let place = number.multipliedReportingOverflow(by: 7_919).partialValue.addingReportingOverflow(1)
        return "k\(place.partialValue.magnitude % UInt(keys))"
    }
}
