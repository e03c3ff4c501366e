// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The state of an instance as slices of a checkpoint have it: the whole, and what has changed since, by the table in Scaling.md.
///
/// Written a second time on purpose: an audit by the host's own reader would share its mistakes.
struct InstanceSlices {
    /// The slices, by name.
    let slices: [String: [UInt8]]

    /// The slice names something else than the state before it.
    struct Mismatch: Error, CustomStringConvertible {
        /// The change that does not fit.
        let description: String
    }

    /// Returns the whole entry of an instance; nil for one that has none.
    func entry(of instance: String) throws -> Value? {
        guard let whole = slices["instance:\(instance)"] else { return nil }
        let changes = slices.keys
            .compactMap { name -> (number: Int, name: String)? in
                let parts = name.split(separator: ":", maxSplits: 2)
                guard parts.count == 3, parts[0] == "change", parts[2] == instance else { return nil }
                return Int(parts[1]).map { ($0, name) }
            }
            .sorted { $0.number < $1.number }
        return try changes.reduce(try JSONText.parse(whole)) { value, change in
            try Self.change(value, by: JSONText.parse(slices[change.name] ?? []))
        }
    }

    /// Returns a value after a change; of nil for one that was not there.
    private static func change(_ old: Value?, by change: Value) throws -> Value {
        if case .array(let parts) = change, parts.count == 1 { return parts[0] }
        switch (old, change) {
        case (.object(var members), .object(let changes)):
            for (name, change) in changes {
                // A plain nil would be the value null.
                members[name] =
                    change == .integer(0) ? Value?.none : try self.change(members[name], by: change)
            }
            return .object(members)
        case (.array(let old), .array(let parts)) where parts.count == 2:
            return .array(
                try (0..<(parts[0].intValue ?? 0)).map { index in
                    let before: Value? = index < old.count ? .some(old[index]) : Value?.none
                    guard let change = parts[1]["\(index)"] else { return before ?? .null }
                    return try self.change(before, by: change)
                })
        default: throw Mismatch(description: "\(change) is no change of \(String(describing: old))")
        }
    }
}
