// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// The routes of a generation; each is computed when its type is first seen, and then found by number.
struct RouteTable {
    /// In chain order.
    private let instances: [Instance]
    /// Types and their routes by place; nil where no type was seen yet.
    private var routes: [(type: ActionType, route: Route)?] = []

    /// The routes between types and instances, in chain order.
    init(instances: [Instance]) {
        self.instances = instances
        // What a name in the configuration means is known for ever, so that its actions need not hold it.
        for pair in instances.flatMap(\.names.heard) where !pair.global.isOpen {
            _ = ActionType(pair.global.stem)
        }
    }

    /// The route of a type. Constant time, except for the first action of each type.
    mutating func route(for type: ActionType) -> Route {
        let index = type.place
        if index < routes.count, let known = routes[index], known.type == type { return known.route }
        let route = compute(type)
        if index >= routes.count {
            routes.append(contentsOf: repeatElement(nil, count: index + 1 - routes.count))
        }
        routes[index] = (type, route)
        return route
    }

    /// Asks each instance, once for each type.
    private func compute(_ type: ActionType) -> Route {
        let name = type.name
        return Route(
            stops: instances.indices.compactMap { index in
                let instance = instances[index]
                guard let hearing = Hearing(of: name, names: instance.names, controls: instance.controls)
                else { return nil }
                return Route.Stop(
                    instance: instance, index: index,
                    local: hearing.local.map { ActionType($0, knownWith: type) },
                    isControl: hearing.isControl)
            },
            // What an operator sends always arrives.
            isIntercepted: !name.utf8.starts(with: ReservedNames.typePrefix.utf8))
    }
}
