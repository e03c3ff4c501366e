// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

extension HostPlan {
    /// The routes of every type and pattern that a manifest, a lift or a gate names, by name; `*` comes last.
    package var routes: [PlannedRoute] {
        let instances = instances
        var names = declaredNames
        for case .action(let control, _, _, _, _) in instances.map(\.entry.gate) {
            names.insert(TypePattern(stem: control, isOpen: false))
        }
        let ordered = names.sorted { left, right in
            if left == .everything || right == .everything { return right == .everything && left != right }
            return left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
        }
        return ordered.map { route(of: $0, among: instances, knowing: names) }
    }

    /// The routes that a question about a type or a pattern asks for: of a type its own; of a pattern those of all names
    /// below it, and last that of the types below it that nobody names.
    package func routes(askedBy type: TypePattern) -> [PlannedRoute] {
        guard type.isOpen else { return [route(of: type)] }
        let below = routes.filter {
            $0.type != type.description && $0.type.utf8.starts(with: type.stem.utf8)
        }
        return below + [route(of: type)]
    }

    /// The route of a type, or of a pattern.
    package func route(of type: TypePattern) -> PlannedRoute {
        route(of: type, among: instances, knowing: declaredNames)
    }

    /// Every type and pattern that an instance hears or declares to emit.
    var declaredNames: Set<TypePattern> {
        Set(instances.flatMap { $0.names.heard.map(\.global) + $0.names.emitted })
    }

    /// The route of a type, or of a pattern for all types below it that `names` does not have.
    private func route(
        of type: TypePattern, among instances: [PlannedInstance], knowing names: Set<TypePattern>
    ) -> PlannedRoute {
        guard type.isOpen else { return route(of: type.stem, among: instances, shownAs: type, rest: "") }
        // A type below the pattern that nobody names stands for all of them.
        var rest = "?"
        while names.contains(where: { $0.stem.utf8.starts(with: (type.stem + rest).utf8) }) { rest += "?" }
        return route(of: type.stem + rest, among: instances, shownAs: type, rest: rest)
    }

    /// The route of a type, shown as the pattern that it stands for; `rest` is what the type has in place of the `*`.
    private func route(
        of type: String, among instances: [PlannedInstance], shownAs shown: TypePattern, rest: String
    ) -> PlannedRoute {
        let stops = instances.enumerated().compactMap { index, instance -> PlannedRoute.Stop? in
            guard let hearing = instance.hearing(of: type) else { return nil }
            let local = hearing.local.map { local in
                shown.isOpen && local.utf8.suffix(rest.utf8.count).elementsEqual(rest.utf8)
                    ? String(decoding: local.utf8.dropLast(rest.utf8.count), as: UTF8.self) + "*" : local
            }
            return PlannedRoute.Stop(
                place: index + 1, instance: instance, local: local, isControl: hearing.isControl,
                // What an operator sends always arrives.
                intercepts: local != nil && instance.intercepts && !ReservedNames.isForHost(type))
        }
        return PlannedRoute(
            type: shown.description, stops: stops, senders: instances.filter { $0.names.emits(type) })
    }
}

/// The instances that one action type concerns, or all types below a pattern that have no route of their own.
package struct PlannedRoute: Sendable {
    /// One instance on the way.
    package struct Stop: Sendable {
        /// Its place in the chain, from 1.
        package let place: Int
        /// The instance that hears the type.
        package let instance: PlannedInstance
        /// The local name or pattern that it hears; nil when only its gate is concerned.
        package let local: String?
        /// Whether the type may move its gate.
        package let isControl: Bool
        /// Whether it may change or stop the action before anybody's middleware sees it.
        package let intercepts: Bool
    }

    /// The type, or a pattern.
    package let type: String
    /// The instances concerned, in chain order.
    package let stops: [Stop]
    /// The instances that declare to emit it, in chain order.
    package let senders: [PlannedInstance]
}
