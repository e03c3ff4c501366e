// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Says about itself what a test asks for.
struct Patient: Plugin {
    enum Action: PluginAction {
        /// Is failing from here on.
        case sicken(String)
        /// Is no longer failing; said on another thread.
        case recover
        /// Adds to a count.
        case count(name: String, by: Int)
        /// Sets the gauge of this name.
        case gauge(name: String, value: Double)
        /// Uses so many names.
        case name(Int)
        /// Sets a gauge to a number that JSON does not have.
        case overflow(name: String)
        /// Adds so many milliseconds to a time.
        case time(name: String, milliseconds: Int)
        /// Says that it has not done this very action.
        case refuse(reason: String)
        /// Is answered with `counted`.
        case ask
        case counted
    }

    /// What may be set; its type refuses what its schema does not.
    struct Settings: PluginSettings {
        /// Beats in a minute.
        var pulse = Even(number: 60)
        /// The same by the hour of the day.
        var rest: [Even] = []
    }

    /// A number of beats, which come in pairs.
    struct Even: Codable, Sendable {
        let number: Int

        init(number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            number = try decoder.singleValueContainer().decode(Int.self)
            guard number.isMultiple(of: 2) else {
                throw CodingFailure(at: decoder.codingPath, expected: "an even number", found: "\(number)")
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            switch action {
            case .sicken(let reason): context.health(.failing(reason))
            case .recover:
                return .task { [health = context.health] in
                    health(.ok)
                    return nil
                }
            case .count(let name, let amount): context.count(name, by: amount)
            case .gauge(let name, let value): context.gauge(name, value)
            case .name(let count): for number in 0..<max(0, count) { context.count("n\(number)") }
            case .overflow(let name): context.gauge(name, .infinity)
            case .time(let name, let milliseconds): context.time(name, .milliseconds(milliseconds))
            case .refuse(let reason): context.failed(action, reason)
            case .ask: return .just(.counted)
            case .counted: break
            }
            return .doNothing
        }
    }
}
