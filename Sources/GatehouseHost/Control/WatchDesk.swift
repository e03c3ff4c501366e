// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Tells those who watch what passes the host.
///
/// While nobody watches it is not on the way of an action. Whom a type concerns is decided when it is first seen, and an action
/// is written once, when it concerns anybody. Changes of the state are only noticed here; `ControlledStore` reads them when it has
/// its turn, at most 20 times a second.
///
/// `@unchecked Sendable`: used in the drain only.
final class WatchDesk: @unchecked Sendable {
    /// Types whose decisions are kept; more would only be made up by somebody.
    private static let mostTypes = 4_096

    /// Those who watch, in the order in which they came.
    private(set) var subscriptions: [WatchSubscription] = []
    /// Which store it tells of.
    private let place: StorePlace
    /// The places of those whom a type concerns.
    private var concerned: [ActionType: [Int]] = [:]
    /// What each was told last of its places of the state, by the number of the place.
    private var told: [[Int: Value?]] = []

    /// A desk at which nobody watches.
    init(_ place: StorePlace = .host) { self.place = place }

    /// Whether anybody wants to hear of actions.
    var hearsActions: Bool { subscriptions.contains { $0.filter.hearsActions } }

    /// Whether anybody wants to hear of the state.
    var hearsState: Bool {
        subscriptions.contains { $0.filter.pointers.contains { place.local($0) != nil } }
    }

    /// Tells somebody from here on.
    func add(_ subscription: WatchSubscription) {
        concerned = [:]
        subscriptions.append(subscription)
        told.append([:])
    }

    /// Tells somebody no longer.
    func remove(_ subscription: WatchSubscription) {
        guard let place = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        concerned = [:]
        subscriptions.remove(at: place)
        told.remove(at: place)
    }

    // MARK: - Actions

    /// Takes note of an action that is about to be processed.
    ///
    /// - Parameter sequence: the number that the journal gives it; nil without one.
    func take(_ dispatched: DispatchedAction<AnyAction>, sequence: UInt64? = nil) {
        let places = concerned[dispatched.action.type] ?? decide(dispatched.action.type)
        guard !places.isEmpty else { return }
        let emitter = dispatched.dispatcher.instance
        var line: [UInt8]?
        for place in places where subscriptions[place].filter.covers(emitter: emitter) {
            let text = line ?? self.line(dispatched, sequence)
            line = text
            subscriptions[place].add(text)
        }
    }

    /// Finds out whom a type concerns.
    private func decide(_ type: ActionType) -> [Int] {
        if concerned.count >= Self.mostTypes { concerned = [:] }
        let name = type.name
        let places = subscriptions.indices.filter { subscriptions[$0].filter.covers(type: name) }
        concerned[type] = places
        return places
    }

    /// What is told of an action.
    private func line(
        _ dispatched: DispatchedAction<AnyAction>, _ sequence: UInt64?
    ) -> [UInt8] {
        var bytes = Array(#"{"jsonrpc":"2.0","method":"watch","params":{"action":"#.utf8)
        do throws(CodingFailure) {
            try dispatched.action.writeWireForm(to: &bytes)
        } catch {
            let action: Value = ["type": .string(dispatched.action.type.name)]
            action.writeJSON(to: &bytes)
            bytes += Array(#","unwritable":"#.utf8)
            Value.string("\(error)").writeJSON(to: &bytes)
        }
        bytes += Array(#","source":"#.utf8)
        let source = dispatched.dispatcher
        var origin: Members = [:]
        if let instance = source.instance {
            origin["instance"] = .string(instance)
            // What the plugin says of it besides.
            if let info = source.info, info != instance { origin["info"] = .string(info) }
        } else {
            origin = ["input": .string(source.file), "line": Value(source.line)]
        }
        Value.object(origin).writeJSON(to: &bytes)
        if let sequence { bytes += Array(#","sequence":\#(sequence)"#.utf8) }
        if case .partition(let number) = place { bytes += Array(#","partition":\#(number)"#.utf8) }
        bytes += Array("}}".utf8)
        return bytes
    }

    // MARK: - The state

    /// Tells each place of the state that differs from what was told last.
    func tellState(_ tree: StateTree) {
        for (number, subscription) in subscriptions.enumerated() {
            for (index, pointer) in subscription.filter.pointers.enumerated() {
                guard let local = place.local(pointer) else { continue }
                let value: Value?
                do {
                    value = try tree.value(at: local)
                } catch {
                    // What cannot be written is not told; the next change may be.
                    continue
                }
                if let last = told[number].updateValue(value, forKey: index), last == value { continue }
                subscription.add(Self.line(pointer, value))
            }
        }
    }

    /// What is told of a place of the state, as who watches has named it.
    static func line(_ pointer: JSONPointer, _ value: Value?) -> [UInt8] {
        var state: Members = ["pointer": .string("\(pointer)")]
        state["value"] = value
        let line: Value = ["jsonrpc": "2.0", "method": "watch", "params": ["state": .object(state)]]
        var bytes: [UInt8] = []
        line.writeJSON(to: &bytes)
        return bytes
    }
}
