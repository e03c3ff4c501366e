// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The routes of a generation; each is computed when its type is first seen, and then found by number.
struct RouteTable {
    /// In chain order.
    private let instances: [Instance]
    /// Routes by type number; nil for types not seen yet.
    private var routes: [Route?] = []

    /// The routes between types and instances, in chain order.
    init(instances: [Instance]) {
        self.instances = instances
    }

    /// The route of a type. Constant time, except for the first action of each type.
    mutating func route(for type: ActionType) -> Route {
        let index = Int(type.id)
        if index < routes.count, let route = routes[index] { return route }
        let route = compute(type)
        if index >= routes.count {
            routes.append(contentsOf: repeatElement(nil, count: index + 1 - routes.count))
        }
        routes[index] = route
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
                    instance: instance, index: index, local: hearing.local.map { ActionType($0) },
                    isControl: hearing.isControl)
            },
            // What an operator sends always arrives.
            isIntercepted: !name.utf8.starts(with: ReservedNames.typePrefix.utf8))
    }
}
