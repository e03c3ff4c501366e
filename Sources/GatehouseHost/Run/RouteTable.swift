// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// The routes of a generation; each is computed when its type is first seen, and then found by the type's place.
///
/// It owns the buffers that its routes refer to. Used in the drain.
@safe
final class RouteTable {
    /// In chain order.
    private let instances: [Instance]
    /// Routes by the places of their types; nil for types not seen yet.
    private var routes: UnsafeMutableBufferPointer<Route?>
    /// Types that an instance hears, or the host itself, as they were seen first.
    private var heard = RecentNames()
    /// Types of input that nobody hears.
    private var unheard = RecentNames()

    /// The routes between types and instances, in chain order.
    init(instances: [Instance]) {
        self.instances = instances
        // What a name in the configuration means is known for ever, so that its actions need not hold it.
        for name in instances.flatMap(\.names.heard) where !name.global.isOpen {
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
        return enter(type, at: place)
    }

    /// Computes the route of a type and puts it at the type's place.
    @inline(never)
    private func enter(_ type: ActionType, at place: Int) -> Route {
        if unsafe place >= routes.count { grow(toHold: place) }
        // A type that had the place is forgotten: no action of it is anywhere.
        unsafe routes[place]?.stops.deallocate()
        let route = compute(type)
        unsafe routes[place] = route
        if unsafe !route.stops.isEmpty || route.request != nil { heard.note(type.name) }
        return route
    }

    /// Takes note that input has brought an action that no instance hears.
    @inline(never)
    func noteUnheard(_ type: ActionType) {
        unsafe routes[type.place]?.isNoted = true
        unheard.note(type.name)
    }

    /// The types of input that nobody hears, so far.
    var unheardTypes: UnheardTypes {
        let literals = instances.flatMap(\.names.heard).filter { !$0.global.isOpen }.map(\.global.stem)
        return UnheardTypes(
            unheard, heard: heard,
            literals: literals + instances.flatMap(\.controls) + HostActions.all.map(\.name))
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
        let stops = instances.enumerated().compactMap { index, instance -> Route.Stop? in
            guard let hearing = Hearing(of: name, names: instance.names, controls: instance.controls)
            else { return nil }
            return unsafe Route.Stop(
                reference: .passUnretained(instance), index: index,
                local: hearing.local.map { ActionType($0, knownWith: type) },
                asksGate: hearing.isControl || instance.statePointer != nil,
                intercepts: isIntercepted && hearing.local != nil && instance.intercepts)
        }
        let buffer = UnsafeMutableBufferPointer<Route.Stop>.allocate(capacity: stops.count)
        _ = unsafe buffer.initialize(fromContentsOf: stops)
        return unsafe Route(
            type: type, stops: UnsafeBufferPointer(buffer), reduces: stops.contains { $0.instance.reduces },
            isIntercepted: stops.contains { $0.intercepts }, request: HostRequest(type))
    }
}
