// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Turns actions into other actions, by the operator's jq programs.
struct JQ: Plugin {
    /// Everything: only the operator knows which actions there are.
    typealias Action = AnyAction

    /// An operator's settings; reading them compiles the programs, to report mistakes like those of settings.
    struct Settings: PluginSettings {
        /// The rules in the order of evaluation; each that holds emits.
        var rules: [JQRule] = []
        /// The most actions of one rule for one action, from 1 to 10,000.
        var maximumOutputs = 100
        /// The most bytes of their payloads together, from 1 to 64 MiB.
        var maximumSize = 1 << 20

        /// Creates settings without rules.
        init() {}

        /// Reads the settings; throws an error with its place for a program that does not compile.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            rules = try container.decode([JQRule].self, forKey: .rules)
            guard rules.count <= 256 else {
                throw CodingFailure(
                    at: container.codingPath + [CodingKeys.rules], expected: "at most 256 rules",
                    found: "\(rules.count)")
            }
            maximumOutputs = try container.decode(Int.self, forKey: .maximumOutputs, in: 1...10_000)
            maximumSize = try container.decode(Int.self, forKey: .maximumSize, in: 1...1 << 26)
            _ = try JQRules(rules, at: container.codingPath + [CodingKeys.rules])
        }
    }

    static func middleware() -> Reader { Reader { context in AnyMiddleware(JQMiddleware(context)) } }
}
