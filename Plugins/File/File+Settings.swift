// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension File {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// Sizes of files, in bytes.
        enum FileSizes: SettingRange { static let range = 0...1 << 40 }
        /// Periods, in seconds.
        enum Periods: SettingRange { static let range = 0...31_622_400 }
        /// Numbers of files.
        enum FileCounts: SettingRange { static let range = 0...1_000_000 }
        /// Sizes of the queue, in bytes.
        enum QueueSizes: SettingRange { static let range = 1_024...1 << 30 }

        /// The folder of the files, a whole path; empty for the instance's data folder.
        @FolderPath var directory = ""
        /// The name of the file.
        @FileName var file = "actions.ndjson"
        /// The types to write.
        var include: [ActionTypePattern] = []
        /// The types, among those included, to leave out.
        var exclude: [ActionTypePattern] = []
        /// The accident that a line survives once its action counts as done.
        var durability = Durability.process
        /// The greatest size of a file, in bytes; 0 for any size.
        @Bounded<FileSizes> var maximumSize = 100 << 20
        /// The period of rotation in seconds, counted from midnight UTC; 0 for none.
        @Bounded<Periods> var rotateEvery = 0
        /// The number of rotated files kept; 0 for all.
        @Bounded<FileCounts> var keep = 10
        /// Whether rotated files are compressed.
        var compress = true
        /// The most bytes waiting for the disk.
        @Bounded<QueueSizes> var queue = 16 << 20

        /// Returns whether actions of a type are written.
        func wants(_ type: ActionType) -> Bool {
            include.contains { $0.matches(type) } && !exclude.contains { $0.matches(type) }
        }
    }

    /// A whole path, or an empty text.
    @propertyWrapper struct FolderPath: SettingText {
        static let expected = "a path that begins with a slash, or an empty text"

        let wrappedValue: String
        var text: String { wrappedValue }

        init(wrappedValue: String) { self.wrappedValue = wrappedValue }

        init?(_ text: String) {
            guard text.isEmpty || text.hasPrefix("/"), !text.utf8.contains(0) else { return nil }
            wrappedValue = text
        }
    }

    /// The accident that a line survives once its action counts as done.
    enum Durability: String, Codable, Sendable {
        /// The end of the process, of any kind.
        case process
        /// A power failure too; each batch of lines waits for the disk.
        case power
    }
}
