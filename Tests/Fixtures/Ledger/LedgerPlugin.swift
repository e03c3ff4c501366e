// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Enters what writers number, so that its state tells what was lost, doubled or overtaken.
struct Ledger: Plugin {
    /// What it hears and emits.
    enum Action: PluginAction {
        /// Enters a number of a writer; with a deed, the process ends where it says.
        case enter(writer: String, number: Int, deed: Deed?)
        /// The answer to `enter`.
        case entered(writer: String, number: Int)
    }

    /// The place at which the plugin traps.
    enum Deed: String, Codable, Sendable {
        /// In the middleware.
        case handle
        /// In the reducer.
        case reduce
        /// In the work of an effect.
        case effect
    }

    /// The slice of the plugin.
    struct State: Codable, Sendable {
        /// What was entered, by writer.
        var writers: [String: Page] = [:]
    }

    /// What was entered for one writer.
    struct Page: Codable, Sendable {
        /// The numbers that were entered, as pairs of first and last.
        var entered: [[Int]] = []
        /// Those whose answers came, in the same form.
        var answered: [[Int]] = []
        /// What came again, or too late; no more than 100 of them.
        var faults: [String] = []

        /// Enters a number, or what is wrong with it.
        mutating func enter(_ number: Int, in numbers: WritableKeyPath<Page, [[Int]]>) {
            let place = self[keyPath: numbers].count - 1
            guard place >= 0 else { return self[keyPath: numbers] = [[number, number]] }
            let last = self[keyPath: numbers][place][1]
            if number == last + 1 {
                self[keyPath: numbers][place][1] = number
            } else if number > last {
                self[keyPath: numbers].append([number, number])
            } else if faults.count < 100 {
                faults.append("\(number) behind \(last)")
            }
        }
    }

    static func initialState(_ settings: NoSettings) -> State { State() }

    static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .enter(let writer, let number, let deed):
                if deed == .reduce { fatalError("asked to trap in the reducer") }
                state.writers[writer, default: Page()].enter(number, in: \.entered)
            case .entered(let writer, let number):
                state.writers[writer, default: Page()].enter(number, in: \.answered)
            }
        }
    }

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            guard case .enter(let writer, let number, let deed) = action else { return .doNothing }
            if deed == .handle { fatalError("asked to trap in the middleware") }
            let answer = Effect<Context, Action>.just(.entered(writer: writer, number: number))
            return deed == .effect ? answer <> .task { trapInEffect() } : answer
        }
    }

    /// The work of the deed `effect`.
    private static func trapInEffect() -> Action? { fatalError("asked to trap in an effect") }
}
