// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What turns one value into another: small where little of an object has changed, however large it is.
///
/// | value | says |
/// |---|---|
/// | `[NEW]` | the value is another one, or was not there |
/// | `0` | the member has gone |
/// | `{"NAME": CHANGE, …}` | these members of an object have changed, come or gone |
/// | `[COUNT, {"INDEX": CHANGE, …}]` | an array has so many elements, of which these have changed or come |
///
/// As a value of its own it distinguishes names as JSON does, and is written as it is. The order of members is no part of it.
struct ValueChange: Equatable {
    /// The change, as in the table.
    let value: Value

    /// Reads a change that was written before.
    init(_ value: Value) { self.value = value }

    /// Finds the change from a value to another; nil when they are equal.
    init?(from old: Value, to new: Value) {
        guard let value = Self.change(from: old, to: new) else { return nil }
        self.value = value
    }

    /// Says that a member has gone.
    private static let removal = Value.integer(0)

    /// Says that a value is another one.
    private static func replacement(_ value: Value) -> Value { .array([value]) }

    // MARK: - Finding

    /// Returns the change from a value to another; nil when they are equal.
    private static func change(from old: Value, to new: Value) -> Value? {
        switch (old, new) {
        case (.object(let old), .object(let new)): return change(from: old, to: new)
        case (.array(let old), .array(let new)): return change(from: old, to: new)
        default:
            // Without the type, nil would be the value null.
            guard old != new else { return Value?.none }
            return replacement(new)
        }
    }

    /// Returns the change from an object to another.
    private static func change(from old: Members, to new: Members) -> Value? {
        var changes = Members()
        var common = 0
        for (place, (name, value)) in new.enumerated() {
            guard let before = member(name, of: old, near: place) else {
                changes[name] = replacement(value)
                continue
            }
            common += 1
            if let change = change(from: before, to: value) { changes[name] = change }
        }
        if common < old.count {
            for (name, _) in old where new[name] == nil { changes[name] = removal }
        }
        guard !changes.isEmpty else { return Value?.none }
        return .object(changes)
    }

    /// Returns a member of an object; at once where it has the same place as in the other one, as nearly all have.
    private static func member(_ name: String, of members: Members, near place: Int) -> Value? {
        if place < members.count, members[place].key.utf8.elementsEqual(name.utf8) {
            return members[place].value
        }
        return members[name]
    }

    /// Returns the change from an array to another.
    private static func change(from old: [Value], to new: [Value]) -> Value? {
        var changes = Members()
        for (index, value) in new.enumerated() {
            let change =
                index < old.count ? change(from: old[index], to: value) : replacement(value)
            if let change { changes["\(index)"] = change }
        }
        guard !changes.isEmpty || old.count != new.count else { return Value?.none }
        return [Value(new.count), .object(changes)]
    }

    // MARK: - Applying

    /// Returns the value that a value has turned into.
    ///
    /// - Throws: when this is no change of that value.
    func applied(to old: Value) throws(CodingFailure) -> Value { try Self.apply(value, to: old) }

    /// Applies a change to a value; nil for one that is not there.
    private static func apply(_ change: Value, to old: Value?) throws(CodingFailure) -> Value {
        switch (change, old) {
        case (.array(let parts), _) where parts.count == 1: return parts[0]
        case (.object(let changes), .object(let old)):
            var new: [(String, Value)] = []
            new.reserveCapacity(old.count)
            for (name, value) in old {
                switch changes[name] {
                case nil: new.append((name, value))
                case removal: continue
                case let change?: new.append((name, try apply(change, to: value)))
                }
            }
            for (name, change) in changes where change != removal && old[name] == nil {
                new.append((name, try apply(change, to: nil)))
            }
            return .object(Members(new))
        case (.array(let parts), .array(let old)):
            guard let (count, changes) = elements(parts), count <= old.count + changes.count else { break }
            var new = Array(old.prefix(count))
            for (index, change) in changes {
                switch index {
                case new.indices: new[index] = try apply(change, to: new[index])
                case new.count: new.append(try apply(change, to: nil))
                default: throw mismatch(change)
                }
            }
            if new.count == count { return .array(new) }
        default: break
        }
        throw mismatch(change)
    }

    /// Returns the count and the changes of an array's elements, in order; nil for any other change.
    private static func elements(_ parts: [Value]) -> (count: Int, changes: [(index: Int, change: Value)])? {
        guard parts.count == 2, let count = parts[0].intValue, count >= 0,
            case .object(let members) = parts[1]
        else { return nil }
        var changes: [(index: Int, change: Value)] = []
        for (name, change) in members {
            guard let index = Int(name), index >= 0 else { return nil }
            changes.append((index, change))
        }
        return (count, changes.sorted { $0.index < $1.index })
    }

    /// Creates the failure for what is no change of the value.
    private static func mismatch(_ change: Value) -> CodingFailure {
        CodingFailure(
            pointer: .whole, expected: "a change of the state before it", found: change.kindName)
    }

    // MARK: - Joining

    /// Returns this change and a later one as one.
    ///
    /// - Throws: when the later one cannot follow.
    func joined(with later: ValueChange) throws(CodingFailure) -> ValueChange {
        ValueChange(try Self.join(value, later.value))
    }

    /// Joins two changes of one value; nil for the earlier one where it had not changed.
    private static func join(_ earlier: Value?, _ later: Value) throws(CodingFailure) -> Value {
        guard let earlier else { return later }
        switch (earlier, later) {
        case (_, removal): return removal
        case (_, .array(let parts)) where parts.count == 1: return later
        case (.array(let parts), _) where parts.count == 1:
            return replacement(try apply(later, to: parts[0]))
        case (.object(var all), .object(let changes)):
            for (name, change) in changes { all[name] = try join(all[name], change) }
            return .object(all)
        case (.array(let first), .array(let second)):
            guard let first = elements(first), let (count, changes) = elements(second) else { break }
            var all = Members(first.changes.filter { $0.index < count }.map { ("\($0.index)", $0.change) })
            for (index, change) in changes {
                all["\(index)"] = try join(all["\(index)"], change)
            }
            return [Value(count), .object(all)]
        default: break
        }
        throw mismatch(later)
    }
}
