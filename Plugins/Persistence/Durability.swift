// SPDX-License-Identifier: Apache-2.0

/// The accident that a change survives once it was reported as done.
enum Durability: String, Codable, Sendable {
    /// The end of the process, of any kind.
    case process
    /// A power failure too; each batch of changes waits for the disk.
    case power

    /// The corresponding mode of SQLite, in the write-ahead log.
    var synchronous: String {
        switch self {
        case .process: "NORMAL"
        case .power: "FULL"
        }
    }
}
