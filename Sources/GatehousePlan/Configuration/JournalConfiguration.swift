// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The key `journal`: where what was accepted is written down, when, and how long it stays.
package struct JournalConfiguration: Equatable, Sendable {
    /// How much stays that recovery does not need.
    package struct Keep: Equatable, Sendable {
        /// How many megabytes the file may use before older actions go.
        package var megabytes: Int = 1_024
        /// After how many days actions go.
        package var days: Int = 7

        /// The keys, each with the range it may have.
        enum Key: String, CaseIterable {
            case megabytes, days

            /// At most 16 TB, or ten years.
            var range: ClosedRange<Int> {
                switch self {
                case .megabytes: 1...16_777_216
                case .days: 1...3_650
                }
            }
        }

        /// Reads the value of `keep`; nil, with a report, if it is no object.
        static func read(_ node: LocatedNode) -> Keep? {
            guard let reader = ObjectReader<Key>(node) else { return nil }
            let defaults = Keep()
            let number = { (key: Key, default: Int) in
                reader.value(key, default: `default`) { $0.integer(in: key.range) }
            }
            return Keep(megabytes: number(.megabytes, defaults.megabytes), days: number(.days, defaults.days))
        }
    }

    /// The folder of the journal; a relative path starts at the configuration file's folder.
    package var directory: String = "journal"
    /// When what was accepted is on the disk.
    package var mode: JournalMode = .strict
    /// How much stays that recovery does not need.
    package var keep: Keep = Keep()
    /// After how many actions the state is written down.
    package var snapshotEvery: Int = 100_000
    /// How many seconds the name that a writer gives an input is known; 0 for not at all.
    package var deduplicate: Int = 600

    /// The keys.
    package enum Key: String, CaseIterable {
        case directory, mode, keep, snapshotEvery, deduplicate
    }

    /// Reads the value of `journal`; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> JournalConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = JournalConfiguration()
        return JournalConfiguration(
            directory: reader.value(.directory, default: defaults.directory) { $0.folder() },
            mode: reader.value(.mode, default: defaults.mode) { $0.choice() },
            keep: reader.value(.keep, default: defaults.keep, Keep.read),
            snapshotEvery: reader.value(.snapshotEvery, default: defaults.snapshotEvery) {
                $0.integer(in: 1...1_000_000_000)
            },
            deduplicate: reader.value(.deduplicate, default: defaults.deduplicate) {
                $0.integer(in: 0...604_800)
            })
    }
}
