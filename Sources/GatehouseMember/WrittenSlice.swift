// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the engine has of one instance, from which it gets only the differences: the whole as it once was, and the changes since.
///
/// The whole is written again once the changes have half its size, so each byte of a change costs at most two more of the whole. Sixteen
/// changes in a row are joined into one of the next rank, so there are never many, and each is written once for each rank. So the bytes for
/// an action do not depend on the size of the state.
struct WrittenSlice {
    /// What a checkpoint must write and remove.
    struct Writing {
        /// The slices to write, by name.
        var slices: [String: [UInt8]] = [:]
        /// The names of the slices to remove.
        var gone: [String] = []
    }

    /// A change that the engine has.
    private struct Change {
        /// The name of its slice.
        let name: String
        /// The change.
        let change: ValueChange
        /// How many joins it is from single changes.
        let rank: Int
        /// The number of its bytes.
        let size: Int
    }

    /// Below so many bytes the whole is written, because a change would hardly be smaller.
    static let leastSize = 4_096
    /// How many changes of a rank are joined.
    private static let joined = 16

    /// The id of the instance.
    private let id: String
    /// What the engine has, as a value; nil where the whole is too small to remember it.
    private var value: Value?
    /// The number of bytes of the whole, as written last.
    private var size = 0
    /// The changes since then, in order.
    private var changes: [Change] = []
    /// The number of the last change.
    private var number = 0

    /// Knows nothing of what the engine has of an instance.
    init(of id: String) { self.id = id }

    /// Returns what to write so that the engine has this value.
    mutating func write(_ new: Value) -> Writing {
        if let value {
            guard let change = ValueChange(from: value, to: new) else { return Writing() }
            let bytes = PartitionSlices.bytes(change.value)
            if changes.reduce(bytes.count, { $0 + $1.size }) <= size / 2 {
                self.value = new
                return append(change, bytes)
            }
        }
        return writeWhole(new)
    }

    /// Returns what to write for a new whole.
    private mutating func writeWhole(_ new: Value) -> Writing {
        let bytes = PartitionSlices.bytes(new)
        defer { changes = [] }
        (value, size) = (bytes.count < Self.leastSize ? nil : new, bytes.count)
        return Writing(slices: [PartitionSlices.name(of: id): bytes], gone: changes.map(\.name))
    }

    /// Returns what to write for one more change, joined with those before it where it is the sixteenth.
    private mutating func append(_ change: ValueChange, _ bytes: [UInt8]) -> Writing {
        var (change, bytes, rank) = (change, bytes, 0)
        var writing = Writing()
        while case let last = changes.suffix(Self.joined - 1),
            last.count == Self.joined - 1, last.allSatisfy({ $0.rank == rank })
        {
            let earlier = last.dropFirst().reduce(last.first?.change) { all, next in
                all.flatMap { try? $0.joined(with: next.change) }
            }
            // Changes found between successive values always follow each other.
            guard let all = earlier.flatMap({ try? $0.joined(with: change) }) else { break }
            writing.gone += last.map(\.name)
            changes.removeLast(last.count)
            (change, bytes, rank) = (all, PartitionSlices.bytes(all.value), rank + 1)
        }
        number += 1
        let name = PartitionSlices.name(ofChange: number, of: id)
        changes.append(Change(name: name, change: change, rank: rank, size: bytes.count))
        writing.slices[name] = bytes
        return writing
    }
}
