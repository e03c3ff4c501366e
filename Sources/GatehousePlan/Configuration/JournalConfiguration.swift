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

        /// The keys.
        enum Key: String, CaseIterable {
            case megabytes, days
        }

        /// Reads the value of `keep`; nil, with a report, if it is no object.
        static func read(_ node: LocatedNode) -> Keep? {
            guard let reader = ObjectReader<Key>(node) else { return nil }
            var keep = Keep()
            // At most 16 TB, or ten years.
            reader.set(&keep.megabytes, to: .megabytes) { $0.integer(in: 1...16_777_216) }
            reader.set(&keep.days, to: .days) { $0.integer(in: 1...3_650) }
            return keep
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
        var journal = JournalConfiguration()
        reader.set(&journal.directory, to: .directory) { $0.folder() }
        reader.set(&journal.mode, to: .mode) { $0.choice() }
        reader.set(&journal.keep, to: .keep, Keep.read)
        reader.set(&journal.snapshotEvery, to: .snapshotEvery) { $0.integer(in: 1...1_000_000_000) }
        reader.set(&journal.deduplicate, to: .deduplicate) { $0.integer(in: 0...604_800) }
        return journal
    }
}
