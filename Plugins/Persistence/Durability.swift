// SPDX-License-Identifier: Apache-2.0

/// What a change that was reported as done survives.
enum Durability: String, Codable, Sendable {
    /// The end of the process, however it comes.
    case process
    /// A power failure too; each batch of changes waits for the disk.
    case power

    /// The mode of SQLite that gives it, in the write-ahead log.
    var synchronous: String {
        switch self {
        case .process: "NORMAL"
        case .power: "FULL"
        }
    }
}
