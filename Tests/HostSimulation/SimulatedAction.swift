// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK
import SeededTesting

/// An action that a writer sends: everything that it leads to follows from its number.
struct SimulatedAction {
    /// What tells it from all others that are ever sent.
    let number: Int

    /// How many actions its pass leads to, itself included, and how many effects the last of them starts.
    let followers: Int, effects: Int
    /// Whether what it starts begins again after an interruption.
    let recovery: EffectRecovery
    /// Where the plugin ends the process by it; nil for nowhere.
    let fatal: PluginStep?
    /// What an interceptor does with it.
    let handling: Handling

    /// What an interceptor does with an action that a writer sends.
    enum Handling {
        /// It lets it pass.
        case pass
        /// It lets it pass, and a variant of it after that.
        case double
        /// It stops it.
        case stop
        /// It stops it, and emits a variant of it.
        case replace
        /// It emits a variant of it, and lets it pass.
        case announce
    }

    /// The action with a number.
    init(_ number: Int) {
        self.number = number
        var generator = SeededGenerator(seed: UInt64(number))
        followers = Int.random(in: 0...2, using: &generator)
        effects = max(0, Int.random(in: -2...2, using: &generator))
        recovery = Bool.random(using: &generator) ? .again : .tell
        fatal = [5: .handle, 6: .perform][Int.random(in: 0..<80, using: &generator)]
        handling = [1: .double, 2: .stop, 3: .replace, 4: .announce][number / 7 % 12] ?? .pass
    }

    /// What actions say begins with the number, times so much; what is left tells them from each other that it leads to: up to 2 those of
    /// its pass, 6 and 7 what effects of the host emit, and the rest what clerk and scribe emit, and what is told of their effects; 64 more
    /// for its variant.
    static let places = 128
    /// What a variant says besides.
    static let variant = 64

    /// What its writer calls it.
    var name: String { "a\(number)" }

    /// The action, or one that it leads to, by its place in the pass.
    func action(_ place: Int) -> AnyAction { Self.action(number * Self.places + place) }

    /// The bytes of its line.
    var line: [UInt8] { Array(#"{"type":"sim/act","payload":{"n":\#(number * Self.places)}}"#.utf8) }

    /// The action that says a number, which tells it from all others too.
    static func action(_ told: Int) -> AnyAction { AnyAction("sim/act", payload: ["n": Value(told)]) }

    /// The gate that an action moves, which neither clerk nor scribe hears, and where to; nil for other actions.
    static func gateMove(by told: Int) -> (clerk: ClerkID, opens: Bool)? {
        guard told % places == 0 else { return nil }
        return switch told / places % 31 {
        case 3: (.clerk, false)
        case 11: (.clerk, true)
        case 17: (.scribe, false)
        case 25: (.scribe, true)
        default: nil
        }
    }

    /// The number that the bytes of an action say; nil for what was never sent.
    static func told(by bytes: [UInt8]) -> Int? {
        (try? JSONText.parse(bytes))?["payload"]?["n"]?.intValue
    }
}
