// SPDX-License-Identifier: Apache-2.0

extension CollectionDifference {
    /// How many elements there are after applying this to a collection with so many; nil when it does not apply.
    ///
    /// Whether it applies depends on the offsets alone, which are distinct among removals and among insertions. Constant
    /// time, as both are sorted by offset.
    func count(after count: Int) -> Int? {
        let result = count - removals.count + insertions.count
        guard Self.offset(removals.last) < count, Self.offset(insertions.last) < result else { return nil }
        return result
    }

    /// Where a change is; -1 for none.
    private static func offset(_ change: Change?) -> Int {
        switch change {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        case nil: -1
        }
    }
}
