// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK

/// The routes of a generation; each is computed when its type is first seen, and then found by the type's place.
///
/// It owns the buffers that its routes refer to. Used in the drain.
@safe
package final class RouteTable {
    /// The links that routes are made of, in chain order.
    private let links: [ChainLink]
    /// Routes by the places of their types; nil for types not seen yet.
    private var routes: UnsafeMutableBufferPointer<Route?>
    /// What was seen, by this table and those before it.
    private let seen: SeenTypes

    /// Knows the types by name.
    private let flightRecorder: FlightRecorder

    /// The routes between types and instances, in chain order.
    ///
    /// - Parameters:
    ///   - seen: told of types that are seen first.
    ///   - flightRecorder: where the types are entered by name.
    init(
        _ links: [ChainLink], seen: SeenTypes = SeenTypes(), flightRecorder: FlightRecorder = FlightRecorder()
    ) {
        self.links = links
        self.flightRecorder = flightRecorder
        self.seen = seen
        // What a name in the configuration means is known for ever, so that its actions need not hold it.
        for name in links.flatMap(\.names.heard) where !name.global.isOpen {
            _ = ActionType(name.global.stem)
        }
        unsafe routes = .allocate(capacity: 0)
    }

    deinit {
        for place in unsafe routes.indices { unsafe routes[place]?.stops.deallocate() }
        unsafe routes.deallocate()
    }

    /// The route of a type. Constant time, except for the first action of each type.
    @inline(__always)
    func route(for type: ActionType) -> Route {
        let place = type.place
        if unsafe place < routes.count, let route = unsafe routes[place], route.type == type { return route }
        return meet(type, at: place)
    }

    /// Computes the route of a type that is seen first.
    @inline(never)
    private func meet(_ type: ActionType, at place: Int) -> Route {
        let route = enter(type, at: place)
        if unsafe !route.stops.isEmpty || route.request != nil { seen.heard.note(type.name) }
        return route
    }

    /// Computes the route of a type and puts it at the type's place.
    @discardableResult
    private func enter(_ type: ActionType, at place: Int) -> Route {
        if unsafe place >= routes.count { grow(toHold: place) }
        // A type that had the place is forgotten: no action of it is anywhere.
        unsafe routes[place]?.stops.deallocate()
        flightRecorder.know(type)
        let route = compute(type)
        unsafe routes[place] = route
        return route
    }

    /// Takes note that input has brought an action that no instance hears.
    @inline(never)
    func noteUnheard(_ type: ActionType) {
        unsafe routes[type.place]?.isNoted = true
        seen.unheard.note(type.name)
    }

    /// The types that were seen, so that the table of the next generation can have their routes before it is needed.
    package var types: [ActionType] { unsafe routes.compactMap { $0?.type } }

    /// Computes the routes of types that earlier tables have seen; called before the table is used, and so not in the drain.
    package func prepare(for types: [ActionType]) {
        for type in types { enter(type, at: type.place) }
    }

    /// Makes room, at least twice as much as there was.
    private func grow(toHold place: Int) {
        let larger = UnsafeMutableBufferPointer<Route?>.allocate(
            capacity: unsafe max(place + 1, routes.count * 2, 64))
        let end = unsafe larger.update(fromContentsOf: routes)
        unsafe larger[end...].initialize(repeating: nil)
        unsafe routes.deallocate()
        unsafe routes = unsafe larger
    }

    /// Asks each instance, once for each type.
    private func compute(_ type: ActionType) -> Route {
        let name = type.name
        // What an operator sends always arrives.
        let isIntercepted = !name.utf8.starts(with: ReservedNames.typePrefix.utf8)
        let stops = links.enumerated().compactMap { index, link -> Route.Stop? in
            guard let hearing = Hearing(of: name, names: link.names, controls: link.controls)
            else { return nil }
            return unsafe Route.Stop(
                reference: .passUnretained(link.instance), index: index,
                local: hearing.local.map { ActionType($0, knownWith: type) },
                asksGate: hearing.isControl || link.followsState,
                intercepts: isIntercepted && link.instance.intercepts)
        }
        let buffer = UnsafeMutableBufferPointer<Route.Stop>.allocate(capacity: stops.count)
        _ = unsafe buffer.initialize(fromContentsOf: stops)
        return unsafe Route(
            type: type, stops: UnsafeBufferPointer(buffer), reduces: stops.contains { $0.instance.reduces },
            isIntercepted: stops.contains { $0.intercepts }, request: HostRequest(type))
    }
}

/// The instances that one action type concerns, in chain order: plain data whose stops lie in one buffer.
///
/// Copying it counts no references. The buffer belongs to the `RouteTable` that made the route, the instances to the
/// generation that has the table.
@safe
package struct Route {
    /// One instance and the local name it hears the type by.
    @safe
    package struct Stop {
        /// The instance, held by its generation.
        let reference: Unmanaged<Instance>
        /// The place of the instance in the chain.
        let index: Int
        /// Nil when only the gate is concerned.
        let local: ActionType?
        /// Whether the gate must see the action: because the type may move it, or because it follows the state.
        let asksGate: Bool
        /// Whether the instance decides about the type.
        let intercepts: Bool

        /// The one that hears the type.
        var instance: Instance { unsafe reference.takeUnretainedValue() }
    }

    /// The type of the actions that take this route.
    let type: ActionType
    /// The instances that hear the type, in chain order.
    let stops: UnsafeBufferPointer<Stop>
    /// Whether any of them has a reducer.
    let reduces: Bool
    /// Whether any of them decides about the type.
    let isIntercepted: Bool
    /// What the type asks of the host itself; nil for nearly all.
    let request: HostRequest?
    /// Whether it is told of already that nobody hears the type.
    var isNoted = false
}

/// One place of a chain: an instance, and how action names concern it in one generation.
///
/// Apart from the instance, which may serve in the next generation under other names.
package struct ChainLink {
    /// The instance that stands at this place of the chain.
    package let instance: Instance
    /// How its action names and the host's belong together.
    package let names: LiftedNames
    /// Types of control actions that its gate must see.
    package let controls: [String]
    /// Whether its gate follows the state.
    let followsState: Bool

    /// The place of an instance as it is planned.
    package init(_ instance: Instance, as planned: PlannedInstance) {
        self.instance = instance
        names = planned.names
        controls = planned.entry.gate.controls
        if case .state = planned.entry.gate { followsState = true } else { followsState = false }
    }

    /// The place of an instance as it is.
    package init(_ instance: Instance) { self.init(instance, as: instance.planned) }
}
