// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehouseSDK

/// Which instances emit what other instances hear, by type.
///
/// Only names and beginnings of names make edges. Who hears or emits `*` would be joined with everybody, so that `*` is told of the
/// instance alone.
package struct ActionGraph: Sendable {
    /// A type or pattern, and whom it concerns; the indices are places in `instances`, in chain order.
    package struct Node: Sendable {
        /// The name, or the narrower of two patterns that overlap.
        package let type: TypePattern
        /// The instances that declare to emit all of it; empty for what comes only from outside.
        package fileprivate(set) var from: [Int] = []
        /// The instances that hear all of it.
        package fileprivate(set) var to: [Int] = []
        /// The instances whose gates it moves; the types by which operators move any gate are left out.
        package fileprivate(set) var moves: [Int] = []
    }

    /// The instances in chain order.
    package let instances: [PlannedInstance]
    /// The types, by name.
    package let nodes: [Node]

    /// The graph of instances in chain order.
    ///
    /// Linear in instances and declared names, apart from patterns: each of those is compared with all names.
    package init(_ instances: [PlannedInstance]) {
        self.instances = instances
        let heard = Declared(instances.map { $0.names.heard.map(\.global) })
        let emitted = Declared(instances.map { $0.names.emitted })
        var moved: [TypePattern: [Int]] = [:]
        for (index, instance) in instances.enumerated() {
            guard case .action(let control, _, _, _, _) = instance.entry.gate else { continue }
            moved[TypePattern(stem: control, isOpen: false), default: []].append(index)
        }
        var types = Set(moved.keys)
        for type in emitted.types {
            let met = heard.overlaps(with: type)
            types.formUnion(met.isEmpty ? [type] : met)
        }
        // What no instance emits as a whole comes from outside as well.
        for type in heard.types where emitted.indices(of: type).isEmpty { types.insert(type) }
        nodes = types.map { type in
            var node = Node(type: type, from: emitted.indices(of: type), moves: moved[type] ?? [])
            // Another line of a lift may give a name within a pattern to somebody else.
            node.to = heard.indices(of: type).filter {
                type.isOpen || instances[$0].names.local(of: type.stem) != nil
            }
            return node
        }.sorted { $0.type.description.utf8.lexicographicallyPrecedes($1.type.description.utf8) }
    }

    /// The graph for programs.
    package var value: Value {
        let ids = instances.map { Value.string($0.id) }
        return [
            "instances": .array(
                instances.map { instance in
                    let hears = instance.names.heard.map(\.global.description)
                    return [
                        "id": .string(instance.id), "plugin": .string(instance.manifest.id),
                        "hears": .array(hears.map(Value.string)),
                        "emits": .array(instance.emitted.map(Value.string)),
                    ]
                }),
            "types": .array(
                nodes.map { node in
                    [
                        "type": .string(node.type.description), "from": .array(node.from.map { ids[$0] }),
                        "to": .array(node.to.map { ids[$0] }), "moves": .array(node.moves.map { ids[$0] }),
                    ]
                }),
        ]
    }
}

/// What instances declare on one side, found by name.
private struct Declared {
    /// Every type and pattern but `*`.
    private(set) var types: Set<TypePattern> = []
    /// The places of the instances that declare a name.
    private var names: [String: [Int]] = [:]
    /// The patterns with the places of their instances, in chain order.
    private var patterns: [(type: TypePattern, index: Int)] = []

    /// Takes the declarations of each instance, in chain order.
    init(_ declared: [[TypePattern]]) {
        for (index, own) in declared.enumerated() {
            for type in Set(own) where type != .everything {
                types.insert(type)
                if type.isOpen {
                    patterns.append((type, index))
                } else {
                    names[type.stem, default: []].append(index)
                }
            }
        }
    }

    /// The places of the instances that declare all of a type, in chain order, each once.
    func indices(of type: TypePattern) -> [Int] {
        let open = patterns.filter { $0.type.intersection(type) == type }.map(\.index)
        return Set(open + (type.isOpen ? [] : names[type.stem] ?? [])).sorted()
    }

    /// What declared types and patterns have in common with a type.
    func overlaps(with type: TypePattern) -> Set<TypePattern> {
        var found = Set(patterns.compactMap { $0.type.intersection(type) })
        if type.isOpen {
            found.formUnion(names.keys.filter(type.covers).map { TypePattern(stem: $0, isOpen: false) })
        } else if names[type.stem] != nil {
            found.insert(type)
        }
        return found
    }
}
