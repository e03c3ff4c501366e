// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// The state of one instance in all partitions of a cluster, divided among another number of partitions by the keys in it.
///
/// Objects at some places of the state have keys as member names; each member goes to the partition of its key. Numbers at others count
/// something of the whole cluster: partition 0 has their sum, and all others zero. Everything outside these places belongs to no key: it
/// must be the same everywhere, and is copied.
struct StateDivision {
    /// The states, by new partition; empty where no partition had one.
    private(set) var states: [Value] = []
    /// The number of keys.
    private(set) var keys = 0
    /// Sentences about everything that prevents the division.
    private(set) var problems: [String] = []

    /// Divides states.
    ///
    /// - Parameters:
    ///   - old: the states, by old partition; a partition that never had one is absent.
    ///   - split: the places of objects of keys, and of sums.
    ///   - numbers: the old and the new number of partitions.
    init(
        _ old: [Int: Value], by split: ClusterConfiguration.Split, between numbers: (old: Int, new: Int)
    ) {
        let old = old.sorted { $0.key < $1.key }
        // A place that no partition uses stays as it is.
        let isUsed = { (place: JSONPointer) in
            old.contains { $0.value[place].map { !$0.isNull } ?? false }
        }
        let (places, sums) = (split.keys.filter(isUsed), split.sums.filter(isUsed))
        var totals = sums.map { _ in Value.integer(0) }
        var members = places.map { _ in Array(repeating: Members(), count: numbers.new) }
        var rest: (partition: Int, value: Value)?
        for (partition, state) in old {
            var left = state
            for (index, place) in places.enumerated() {
                switch state[place] {
                case .object(let found):
                    take(found, of: partition, at: place, between: numbers, into: &members[index])
                case nil, .null: break
                case let other?:
                    problems.append(
                        "expected an object whose members are keys at \(Self.name(place)) in partition \(partition), found \(other.kindName); correct the rule in \"split\""
                    )
                }
                left.set(.object([:]), where: place)
            }
            for (index, place) in sums.enumerated() {
                let found = state[place] ?? .null
                if let total = found.isNull ? totals[index] : Self.sum(totals[index], found) {
                    totals[index] = total
                } else {
                    problems.append(
                        "expected a number to add up at \(Self.name(place)) in partition \(partition), found \(found.kindName); correct the rule in \"split\""
                    )
                }
                left.set(.integer(0), where: place)
            }
            if let known = rest {
                rest?.value = joined(known, (partition, left), places + sums)
            } else {
                rest = (partition, left)
            }
        }
        guard problems.isEmpty, let rest else { return }
        states = (0..<numbers.new).map { partition in
            var state = rest.value
            for (index, place) in places.enumerated() {
                state.set(.object(members[index][partition]), at: place)
            }
            if partition == 0 {
                for (index, place) in sums.enumerated() { state.set(totals[index], at: place) }
            }
            return state
        }
    }

    /// Moves the members of one object to the partitions of their keys.
    private mutating func take(
        _ found: Members, of partition: Int, at place: JSONPointer, between numbers: (old: Int, new: Int),
        into members: inout [Members]
    ) {
        var strays: (first: String, count: Int)?
        for (name, value) in found {
            let key = Self.key(name)
            if PartitionHash.partition(of: key, in: numbers.old) != partition {
                strays = (strays?.first ?? name, (strays?.count ?? 0) + 1)
            }
            members[PartitionHash.partition(of: key, in: numbers.new)][name] = value
            keys += 1
        }
        if let (name, count) = strays {
            problems.append(
                "\(Counted.text(count, "member")) at \(Self.name(place)) in partition \(partition) cannot be \(count == 1 ? "a key" : "keys") of it: the key \(Quotation.of(name)) belongs to partition \(PartitionHash.partition(of: Self.key(name), in: numbers.old)); correct the rule in \"split\""
            )
        }
    }

    /// Joins the rest of two states; reports differences.
    ///
    /// The path to a place may be missing in a partition that has met no key yet.
    private mutating func joined(
        _ one: (partition: Int, value: Value), _ other: (partition: Int, value: Value),
        _ places: [JSONPointer]
    ) -> Value {
        var rest = one.value
        for difference in Value.differences(from: one.value, to: other.value) {
            if difference.old == nil || difference.new == nil,
                places.contains(where: { difference.pointer.contains($0) })
            {
                if let new = difference.new { rest.set(new, at: difference.pointer) }
                continue
            }
            let what =
                places.isEmpty ? "" : "outside of \(places.map(Self.name).joined(separator: ", ")), "
            problems.append(
                "\(what)\(Self.name(difference.pointer)) is \(difference.old?.quoted ?? "not there") in partition \(one.partition) and \(difference.new?.quoted ?? "not there") in partition \(other.partition), and belongs to no key; name another place in \"split\", or start the instance from scratch with --discard"
            )
            break
        }
        return rest
    }

    /// Returns the sum of two numbers, where integers stay integers and saturate; nil for anything else.
    private static func sum(_ one: Value, _ other: Value) -> Value? {
        if case .integer(let one) = one, case .integer(let other) = other {
            let (sum, isTooLarge) = one.addingReportingOverflow(other)
            return .integer(isTooLarge ? (other > 0 ? .max : .min) : sum)
        }
        guard let one = one.doubleValue, let other = other.doubleValue else { return nil }
        return .double(one + other)
    }

    /// Returns the key of an action with this text, shortened if long.
    private static func key(_ name: String) -> String {
        AnyAction(anyType, payload: .string(name)).key(at: .whole) ?? name
    }

    /// The type of the action that `key(_:)` makes.
    private static let anyType: ActionType = "key"

    /// Formats a place for messages.
    private static func name(_ place: JSONPointer) -> String {
        place.tokens.isEmpty ? "the whole" : Quotation.bare("\(place)")
    }
}

extension Value {
    /// Replaces a partition's own data if its parent exists, so that the rest is the same in all partitions.
    fileprivate mutating func set(_ value: Value, where place: JSONPointer) {
        if self[JSONPointer(tokens: Array(place.tokens.dropLast()))] != nil { set(value, at: place) }
    }
}
