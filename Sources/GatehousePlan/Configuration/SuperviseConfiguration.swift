// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The key `supervise`: what follows from crashes, and how a supervisor starts the host again.
package struct SuperviseConfiguration: Equatable, Sendable {
    /// So many crashes of one library within `minutes` put it into quarantine.
    package var crashes = 5
    /// The time in which crashes count together.
    package var minutes = 10
    /// After so many deaths of the host by one input, that input is skipped.
    package var deaths = 2
    /// The first pause before the host is started again, in seconds; each next one is twice as long, up to a minute.
    package var pause = 1
    /// After how many seconds in one call of a plugin's code, or without a sign of life, the host is ended; 0 for never.
    package var hang = 30

    /// The keys.
    package enum Key: String, CaseIterable {
        case crashes, minutes, deaths, pause, hang
    }

    /// Reads the value of `supervise`; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> SuperviseConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var rules = SuperviseConfiguration()
        // What makes sense, up to a day.
        reader.set(&rules.crashes, to: .crashes) { $0.integer(in: 1...1_000) }
        reader.set(&rules.minutes, to: .minutes) { $0.integer(in: 1...1_440) }
        reader.set(&rules.deaths, to: .deaths) { $0.integer(in: 1...100) }
        reader.set(&rules.pause, to: .pause) { $0.integer(in: 0...60) }
        reader.set(&rules.hang, to: .hang) { $0.integer(in: 0...86_400) }
        return rules
    }
}
