// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension File {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The folder of the files, a whole path; empty for the instance's data folder.
        var directory = ""
        /// The name of the file.
        var file = "actions.ndjson"
        /// The types to write.
        var include: [ActionTypePattern] = []
        /// The types, among those included, to leave out.
        var exclude: [ActionTypePattern] = []
        /// The accident that a line survives once its action counts as done.
        var durability = Durability.process
        /// The greatest size of a file, in bytes; 0 for any size.
        var maximumSize = 100 << 20
        /// The period of rotation in seconds, counted from midnight UTC; 0 for none.
        var rotateEvery = 0
        /// The number of rotated files kept; 0 for all.
        var keep = 10
        /// Whether rotated files are compressed.
        var compress = true
        /// The most bytes waiting for the disk.
        var queue = 16 << 20

        /// The keys of the configuration.
        private enum CodingKeys: String, CodingKey {
            case directory, file, include, exclude, durability, maximumSize, rotateEvery, keep, compress
            case queue
        }

        /// Creates the default settings.
        init() {}

        /// Reads the settings; throws an error with its place for an invalid value.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func number(_ key: CodingKeys, _ range: ClosedRange<Int>) throws -> Int {
                try container.decode(Int.self, forKey: key, in: range)
            }
            func text(_ key: CodingKeys, _ expected: String, _ fits: (String) -> Bool) throws -> String {
                let text = try container.decode(String.self, forKey: key)
                guard fits(text), !text.utf8.contains(0) else {
                    throw CodingFailure(
                        at: container.codingPath + [key], expected: expected,
                        found: Value.string(text).json())
                }
                return text
            }
            directory = try text(.directory, "a path that begins with a slash, or an empty text") {
                $0.isEmpty || $0.utf8.first == UInt8(ascii: "/")
            }
            file = try text(.file, "a name for a file, without slashes") {
                !["", ".", ".."].contains($0) && !$0.utf8.contains(UInt8(ascii: "/"))
            }
            include = try container.decode([ActionTypePattern].self, forKey: .include)
            exclude = try container.decode([ActionTypePattern].self, forKey: .exclude)
            durability = try container.decode(Durability.self, forKey: .durability)
            maximumSize = try number(.maximumSize, 0...1 << 40)
            rotateEvery = try number(.rotateEvery, 0...31_622_400)
            keep = try number(.keep, 0...1_000_000)
            compress = try container.decode(Bool.self, forKey: .compress)
            queue = try number(.queue, 1_024...1 << 30)
        }

        /// Returns whether actions of a type are written.
        func wants(_ type: ActionType) -> Bool {
            include.contains { $0.matches(type) } && !exclude.contains { $0.matches(type) }
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
