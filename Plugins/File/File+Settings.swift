// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension File {
    /// What an operator may set.
    struct Settings: PluginSettings {
        /// The folder of the files, a whole path; empty for the instance's data folder.
        var directory = ""
        /// The name of the file that is written.
        var file = "actions.ndjson"
        /// The types to write.
        var include: [ActionTypePattern] = []
        /// The types, among those included, to leave out.
        var exclude: [ActionTypePattern] = []
        /// The accident that a line survives once its action counts as done.
        var durability = Durability.process
        /// How large a file may become, in bytes; 0 for any size.
        var maximumSize = 100 << 20
        /// The period of rotation in seconds, counted from midnight UTC; 0 for none.
        var rotateEvery = 0
        /// How many rotated files are kept; 0 for all.
        var keep = 10
        /// Whether rotated files are compressed.
        var compress = true
        /// How many bytes may wait for the disk.
        var queue = 16 << 20

        /// The keys of the configuration.
        private enum CodingKeys: String, CodingKey {
            case directory, file, include, exclude, durability, maximumSize, rotateEvery, keep, compress
            case queue
        }

        /// What an operator gets who sets nothing.
        init() {}

        /// Reads the settings; a value that does not fit is an error with its place.
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

        /// Whether actions of a type are written.
        func wants(_ type: ActionType) -> Bool {
            include.contains { $0.matches(type) } && !exclude.contains { $0.matches(type) }
        }
    }

    /// What a line survives once its action counts as done.
    enum Durability: String, Codable, Sendable {
        /// The end of the process, however it comes.
        case process
        /// A power failure too; each batch of lines waits for the disk.
        case power
    }
}
