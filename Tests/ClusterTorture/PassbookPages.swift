// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the fixture Passbook has entered, in a host or in all partitions of a cluster.
public struct PassbookPages: Equatable {
    /// Runs of numbers that were entered, by key and by who has numbered them.
    public private(set) var entered: [String: [String: [ClosedRange<Int>]]] = [:]
    /// What came again, or too late.
    public private(set) var faults: [String] = []

    /// Something that the fixture does not write.
    public struct Unreadable: Error, CustomStringConvertible {
        /// What it is.
        public let description: String
    }

    /// No pages.
    public init() {}

    /// The pages of one host, by the state that it prints.
    public init(single output: String) throws { try add(try JSONText.parse(output)["passbook"]) }

    /// The pages in the last checkpoints of all partitions.
    public init(of partitions: [[String: [UInt8]]]) throws {
        for slices in partitions {
            guard let bytes = slices["instance:passbook"] else { continue }
            try add(try JSONText.parse(bytes)["state"])
        }
    }

    /// Adds what one host has; a key is in one of them only.
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

    /// The runs of a key that a writer has numbered.
    public func runs(_ key: String, of writer: String) -> [ClosedRange<Int>] { entered[key]?[writer] ?? [] }

    /// Whether a number was entered.
    public func has(_ number: Int, of writer: String, for key: String) -> Bool {
        runs(key, of: writer).contains { $0.contains(number) }
    }

    /// How many numbers were entered.
    public var count: Int {
        entered.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } } }
    }

    /// Which key hears from another one; the same as in the fixture.
    public static func target(of key: String, among keys: Int) -> String {
        "k\(((Int(key.dropFirst()) ?? 0) * 7_919 + 1) % keys)"
    }
}
