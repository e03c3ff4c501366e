// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// The state of one instance in all partitions of a cluster, divided among another number of them by the keys in it.
///
/// Objects at some places of the state have keys as the names of their members; each member goes where its key belongs. What is
/// outside of these objects belongs to no key: it must be the same everywhere, and is copied.
struct StateDivision {
    /// The states, by new partition; empty where no partition had one.
    private(set) var states: [Value] = []
    /// How many keys there are.
    private(set) var keys = 0
    /// Everything that stands against it, in sentences about the instance.
    private(set) var problems: [String] = []

    /// Divides states.
    ///
    /// - Parameters:
    ///   - old: what there is, by old partition; a partition that never had any state has none here.
    ///   - places: where the objects are; none of them inside another one.
    ///   - numbers: how many partitions there were, and how many there will be.
    init(_ old: [Int: Value], at places: [JSONPointer], between numbers: (old: Int, new: Int)) {
        let old = old.sorted { $0.key < $1.key }
        // A place where no partition has anything is left as it is.
        let places = places.filter { place in
            old.contains { $0.value[place].map { !$0.isNull } ?? false }
        }
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
                let parent = JSONPointer(tokens: Array(place.tokens.dropLast()))
                if left[parent] != nil { left.set(.object([:]), at: place) }
            }
            if let known = rest {
                rest?.value = joined(known, (partition, left), places)
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
            return state
        }
    }

    /// Takes the members of one object to where they belong.
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

    /// The rest of two states; says where they differ, if they do.
    ///
    /// What leads to a place may be missing in a partition that has met no key yet.
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
                "\(what)\(Self.name(difference.pointer)) is \(difference.old?.quoted ?? "not there") in partition \(one.partition) and \(difference.new?.quoted ?? "not there") in partition \(other.partition), and belongs to no key; name another place in \"split\", or let the instance begin anew with --discard"
            )
            break
        }
        return rest
    }

    /// The key that an action with this text has, which is shortened where it is long.
    private static func key(_ name: String) -> String {
        AnyAction(anyType, payload: .string(name)).key(at: .whole) ?? name
    }

    /// The type of the action that `key(_:)` makes.
    private static let anyType: ActionType = "key"

    /// A place, as it is shown.
    private static func name(_ place: JSONPointer) -> String {
        place.tokens.isEmpty ? "the whole" : Quotation.bare("\(place)")
    }
}
