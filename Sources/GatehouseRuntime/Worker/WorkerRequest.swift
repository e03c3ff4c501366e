// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// What the process of a worker finds on standard input: the instances that it is to run, and what it shares with its host.
struct WorkerRequest: Sendable, ChildMessage {
    /// One instance, and what its session shares with the host.
    struct Member: Sendable, Codable {
        /// The path at which the loader finds the library.
        let path: String
        /// The library's name in messages.
        let name: String
        /// The library's note, as JSON.
        let note: Value
        /// The instance's id.
        let id: String
        /// Its settings.
        let settings: Value
        /// The dependencies it is granted; nil for all.
        let dependencies: [String]?
        /// The folder in which the instance's folder for data is; nil where it has none.
        let dataDirectory: String?
        /// The files of the ring that the worker writes, and that the host writes.
        let (own, other): (Int32, Int32)
        /// The socket by which the worker asks for connections; nil where it is granted none.
        let network: Int32?
    }

    /// The file of the process's flight recorder.
    let flightRecorder: Int32
    /// The bytes for data in each ring.
    let capacity: Int
    /// Whether it waits for a debugger before it loads a library.
    let isDebugged: Bool
    /// In the order in which they are made.
    let members: [Member]

    /// The longest message in either direction, in bytes: 256 MiB, which one input may lead to by default.
    static let longestMessage = 1 << 28
}
