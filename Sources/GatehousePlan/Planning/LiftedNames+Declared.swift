// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// What the manifest declares, under the host's names.
extension LiftedNames {
    /// A name or pattern on both sides of the lift.
    package struct Pair: Hashable, Sendable {
        /// The pattern of names in the host.
        package let global: TypePattern
        /// The pattern of names in the plugin.
        package let local: TypePattern
    }

    /// What the plugin hears, in the order of the manifest or of the lift's map.
    ///
    /// A pattern may cover a name that another line gives to somebody else; `local(of:)` decides about each type.
    package var heard: [Pair] {
        switch lift.input {
        case nil where consumes.contains(.everything):
            var own: [TypePattern] = []
            if case nil = lift.output { own = (consumes + emits).filter { !$0.isOpen } }
            return Self.unique(
                (heardBySettings ?? [.everything]).map { Pair(global: $0, local: $0) }
                    + own.map { below(defaultPrefix, $0) })
        case nil: return consumes.map { below(defaultPrefix, $0) }
        case .prefix(let prefix): return consumed.map { below(prefix, $0) }
        case .map(let map):
            return Self.unique(Self.pairs(map, local: \.to, global: \.from, declared: consumed))
        }
    }

    /// What the plugin declares to emit, as far as it may, without what `allow` adds.
    package var emitted: [TypePattern] { permitted(declaredOutputs.map(\.global)) }

    /// Of the host's names those that may be emitted, without what `allow` adds.
    func permitted(_ globals: [TypePattern]) -> [TypePattern] {
        guard let allow else { return Self.unique(globals.filter { !$0.isForHost }) }
        return Self.unique(
            globals.flatMap { global in
                allow.compactMap { allowed in
                    let both = allowed.intersection(global)
                    return both?.isForHost == true && !allowed.isForHost ? nil : both
                }
            })
    }

    /// The host's names for what the plugin hears by a local name or pattern, whether it declares it or not.
    package func heard(by local: TypePattern) -> [TypePattern] {
        switch lift.input {
        case nil where consumes.contains(.everything): [local]
        case nil: [below(defaultPrefix, local).global]
        case .prefix(let prefix): [below(prefix, local).global]
        case .map(let map):
            Self.pairs(map, local: \.to, global: \.from, declared: [local]).map(\.global)
        }
    }

    /// The host's names for what the plugin emits by a local name or pattern, as far as it may.
    package func emitted(as local: TypePattern) -> [TypePattern] {
        let globals =
            switch lift.output {
            case nil: emits.contains(.everything) ? [local] : [below(defaultPrefix, local).global]
            case .prefix(let prefix): [below(prefix, local).global]
            case .map(let map):
                Self.pairs(map, local: \.from, global: \.to, declared: [local]).map(\.global)
            }
        return permitted(globals)
    }

    /// What the plugin declares to emit and the lift has a name for, whether it may be emitted or not.
    var declaredOutputs: [Pair] {
        switch lift.output {
        case nil:
            emits.flatMap { name in
                name == .everything
                    ? (emittedBySettings ?? [name]).map { Pair(global: $0, local: $0) }
                    : [below(defaultPrefix, name)]
            }
        case .prefix(let prefix): outputs.map { below(prefix, $0) }
        case .map(let map): Self.pairs(map, local: \.from, global: \.to, declared: outputs)
        }
    }

    /// Whether the plugin declares something that leaves it under a type, and may emit it.
    package func emits(_ type: String) -> Bool { emitted.contains { $0.admits(type) } }

    /// Whether the plugin declares by name that it emits what leaves it under a type, and hears that type itself.
    package func isOwn(_ type: String) -> Bool {
        local(of: type) != nil
            && declaredOutputs.contains { $0.local != .everything && $0.global.covers(type) }
    }

    /// What a map makes of declared local names; `local` and `global` are the sides of its lines.
    private static func pairs(
        _ map: NameMap, local: KeyPath<NameMap.Entry, TypePattern>,
        global: KeyPath<NameMap.Entry, TypePattern>, declared: [TypePattern]
    ) -> [Pair] {
        map.entries.flatMap { line in
            declared.compactMap { name in
                guard let both = line[keyPath: local].intersection(name) else { return nil }
                guard line.to.isOpen else { return Pair(global: line[keyPath: global], local: both) }
                let stem = line[keyPath: local].stem
                return Pair(
                    global: both.replacing(first: stem.utf8.count, by: line[keyPath: global].stem),
                    local: both)
            }
        }
    }

    /// A local name below a prefix.
    private func below(_ prefix: String, _ local: TypePattern) -> Pair {
        Pair(global: local.replacing(first: 0, by: prefix), local: local)
    }

    /// Each once, in the order of their first places.
    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
    }
}
