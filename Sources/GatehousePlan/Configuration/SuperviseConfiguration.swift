// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The key `supervise`: what follows from crashes, and how a supervisor starts the host again.
package struct SuperviseConfiguration: Equatable, Sendable {
    /// So many crashes of one library within `minutes` put it into quarantine.
    package var crashes: Int
    /// The time in which crashes count together.
    package var minutes: Int
    /// After so many deaths of the host by one input, that input is skipped.
    package var deaths: Int
    /// The first pause before the host is started again, in seconds; each next one is twice as long, up to a minute.
    package var pause: Int
    /// After how many seconds in one call of a plugin's code, or without a sign of life, the host is ended; 0 for never.
    package var hang: Int

    /// Rules; what is left out has its default.
    package init(crashes: Int = 5, minutes: Int = 10, deaths: Int = 2, pause: Int = 1, hang: Int = 30) {
        self.crashes = crashes
        self.minutes = minutes
        self.deaths = deaths
        self.pause = pause
        self.hang = hang
    }

    /// The keys, each with the range it may have.
    package enum Key: String, CaseIterable {
        case crashes, minutes, deaths, pause, hang

        /// What makes sense, up to a day.
        package var range: ClosedRange<Int> {
            switch self {
            case .crashes: 1...1_000
            case .minutes: 1...1_440
            case .deaths: 1...100
            case .pause: 0...60
            case .hang: 0...86_400
            }
        }
    }

    /// Reads the value of `supervise`; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> SuperviseConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = SuperviseConfiguration()
        let number = { (key: Key, default: Int) in
            reader.value(key, default: `default`) { $0.integer(in: key.range) }
        }
        return SuperviseConfiguration(
            crashes: number(.crashes, defaults.crashes), minutes: number(.minutes, defaults.minutes),
            deaths: number(.deaths, defaults.deaths), pause: number(.pause, defaults.pause),
            hang: number(.hang, defaults.hang))
    }
}
