// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Turns actions into other actions, as the operator's jq programs say.
struct JQ: Plugin {
    /// Everything: which actions there are is known to the operator alone.
    typealias Action = AnyAction

    /// What an operator may set; reading it compiles the programs, so that mistakes in them are told where settings are.
    struct Settings: PluginSettings {
        /// In the order in which they are looked at; each that holds emits.
        var rules: [JQRule] = []
        /// How many actions one rule may emit for one action, from 1 to 10,000.
        var maximumOutputs = 100
        /// How large their payloads may be together, in bytes, from 1 to 64 MiB.
        var maximumSize = 1 << 20

        /// The keys of the configuration.
        private enum CodingKeys: String, CodingKey {
            case rules, maximumOutputs, maximumSize
        }

        /// No rules.
        init() {}

        /// Reads the settings; a program that cannot be compiled is an error with its place.
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
            do throws(JQRules.Mistake) {
                _ = try JQRules(rules)
            } catch {
                let path = ["rules", "\(error.rule)"] + (error.key.map { [$0.stringValue] } ?? [])
                let settings = container.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
                throw CodingFailure(
                    pointer: JSONPointer(tokens: settings + path), expected: "a jq program",
                    found: error.words)
            }
        }
    }

    static func middleware() -> Reader {
        Reader { context in AnyMiddleware(JQMiddleware(context)) }
    }
}
