// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The entries of the fixture Passbook, in a host or in all partitions of a cluster.
package struct PassbookPages: Equatable {
    /// Runs of entered numbers, by key and by the writer that assigned them.
    package private(set) var entered: [String: [String: [ClosedRange<Int>]]] = [:]
    /// Numbers that came again, or too late.
    package private(set) var faults: [String] = []

    /// The state is not one that the fixture writes.
    package struct Unreadable: Error, CustomStringConvertible {
        /// The unexpected state.
        package let description: String
    }

    /// Creates no pages.
    package init() {}

    /// Reads the pages of one host from the state that it prints.
    package init(single output: String) throws { try add(try JSONText.parse(output)["passbook"]) }

    /// Reads the pages from the last checkpoints of all partitions.
    package init(of partitions: [[String: [UInt8]]]) throws {
        for slices in partitions {
            guard let entry = try InstanceSlices(slices: slices).entry(of: "passbook") else { continue }
            try add(entry["state"])
        }
    }

    /// Adds the pages of one host; each key is in only one of them.
    private mutating func add(_ state: Value?) throws {
        guard case .object(let pages) = state?["pages"], let faults = state?["faults"]?.arrayValue else {
            throw Unreadable(description: "no passbook: \(String(describing: state).prefix(200))")
        }
        self.faults += faults.map { $0.stringValue ?? "\($0)" }
        for (key, page) in pages {
            guard case .object(let writers) = page, entered[key] == nil else {
                throw Unreadable(description: "\(key) is in two partitions")
            }
            for (writer, runs) in writers {
                entered[key, default: [:]][writer] = try (runs.arrayValue ?? []).map { pair in
                    guard let first = pair[0]?.intValue, let last = pair[1]?.intValue, first <= last else {
                        throw Unreadable(description: "\(key) of \(writer): \(runs)")
                    }
                    return first...last
                }
            }
        }
    }

    /// The runs of a key that a writer numbered.
    package func runs(_ key: String, of writer: String) -> [ClosedRange<Int>] { entered[key]?[writer] ?? [] }

    /// Whether a number was entered.
    package func has(_ number: Int, of writer: String, for key: String) -> Bool {
        runs(key, of: writer).contains { $0.contains(number) }
    }

    /// How many numbers were entered.
    package var count: Int {
        entered.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } } }
    }

    /// The key that another key passes numbers to; the same as in the fixture.
    package static func target(of key: String, among keys: Int) -> String {
        "k\(((Int(key.dropFirst()) ?? 0) * 7_919 + 1) % keys)"
    }
}
