// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting

/// A random chain of instances with its inputs and limits, and the plugins.json that says the same.
///
/// Left out, since core lifts and gates have no word for them: the host's own actions, which also move gates, and an effect that
/// ends in its own time, which no order fixes; and an interceptor that changes an action to one of the same local name: the host
/// keeps the global name that came, and a lift in the core gives the one for outputs.
struct LawChain: Sendable {
    /// A gate in the words of the configuration.
    enum Gate: Sendable {
        case still(GateState)
        case action(control: String, on: Int, off: Int, start: GateState)
        case state(of: Int)
    }

    /// One instance: its script, lift and gate.
    struct Member: Sendable {
        var settings: LawPlugin.Settings
        /// Whether it has an interceptor.
        var intercepts: Bool
        /// Local names by global name; a key that ends in `*` matches every rest.
        var input: [String: String]
        /// Global names by local name.
        var output: [String: String]
        var gate: Gate
    }

    /// An action under its global name.
    struct Word: Sendable {
        var name: String
        var number: Int
    }

    var members: [Member]
    var inputs: [Word]
    /// How many actions may answer each other in a row.
    var chain: Int
    /// How many outputs one input may lead to.
    var actions: Int

    /// The local names of the plugin.
    static let locals = ["a", "b", "c", "d"]
    /// The global names; a pattern covers the deep ones.
    static let globals = ["x", "y", "z", "deep/x", "deep/y"]

    /// The chain that belongs to a seed.
    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...8, using: &random)
        members = (0..<count).map { Self.member($0, of: count, &random) }
        inputs = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            Word(
                name: (Self.globals + ["unheard"]).randomElement(using: &random) ?? "x",
                number: Int.random(in: 0...4, using: &random))
        }
        chain = Int.random(in: 1...5, using: &random)
        actions = Int.random(in: 2...20, using: &random)
    }

    private static func member(_ index: Int, of count: Int, _ random: inout SeededGenerator) -> Member {
        let some = { (random: inout SeededGenerator) in
            (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in locals.randomElement(using: &random)
            }
        }
        let rules = locals.map { name in
            LawPlugin.Rule(
                name: name, emits: some(&random), effects: some(&random), writes: Bool.random(using: &random),
                passage: LawPlugin.Passage.allCases.randomElement(using: &random) ?? .pass,
                other: (locals.filter { $0 != name }).randomElement(using: &random) ?? "a")
        }
        var input: [String: String] = [:]
        for name in globals + ["deep/*"] where Bool.random(using: &random) {
            input[name] = locals.randomElement(using: &random)
        }
        var output: [String: String] = [:]
        for name in locals { output[name] = globals.randomElement(using: &random) }
        return Member(
            settings: LawPlugin.Settings(id: "p\(index)", rules: rules),
            intercepts: Int.random(in: 0...3, using: &random) == 0, input: input, output: output,
            gate: gate(of: count, &random))
    }

    private static func gate(of count: Int, _ random: inout SeededGenerator) -> Gate {
        let start = GateState(active: Int.random(in: 0...2, using: &random) > 0)
        switch Int.random(in: 0...3, using: &random) {
        case 0:
            return .action(
                control: globals.randomElement(using: &random) ?? "x",
                on: Int.random(in: 0...2, using: &random), off: Int.random(in: 3...4, using: &random),
                start: start)
        case 1: return .state(of: Int.random(in: 0..<count, using: &random))
        default: return .still(start)
        }
    }
}

extension LawChain.Member {
    /// The local name that it hears a global one by; nil for one that it does not hear.
    func hears(_ name: String) -> String? {
        input[name] ?? (name.hasPrefix("deep/") ? input["deep/*"] : nil)
    }
}

extension LawChain {
    /// The chain as plugins.json.
    func configuration() throws -> String {
        let plugins = try members.map { member in
            Value.object([
                "id": .string(member.settings.id), "settings": try Value(encoding: member.settings),
                "lift": [
                    "input": try Value(encoding: member.input), "output": try Value(encoding: member.output),
                ],
                "gate": member.gate.value,
            ])
        }
        let limits: Value = ["chain": .integer(Int64(chain)), "actions": .integer(Int64(actions))]
        return Value.object(["limits": limits, "plugins": .array(plugins)]).json(.pretty)
    }
}

extension LawChain.Gate {
    /// The gate in the form of plugins.json.
    fileprivate var value: Value {
        switch self {
        case .still(let start): .string(start.rawValue)
        case .state(let member): ["state": .string("/p\(member)/isOn")]
        case .action(let control, let on, let off, let start):
            [
                "control": ["type": .string(control)], "turnOn": .integer(Int64(on)),
                "turnOff": .integer(Int64(off)), "default": .string(start.rawValue),
            ]
        }
    }
}
