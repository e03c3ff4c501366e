// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK

/// Sends actions and state changes of the host to its watchers.
///
/// Without watchers it costs an action nothing. The watchers of a type are determined once, and an action is written once, if
/// anyone watches it. Changes of the state are only noticed here; `ControlledStore` reads them when it has its turn, at most 20
/// times a second.
///
/// `@unchecked Sendable`: used in the drain only.
final class WatchService: @unchecked Sendable {
    /// The most types whose watchers are cached; only invented names would need more.
    private static let mostTypes = 4_096

    /// The watchers, in order of arrival.
    private(set) var subscriptions: [WatchSubscription] = []
    /// The store being watched.
    private let place: StorePlace
    /// The indices of the watchers of a type.
    private var concerned: [ActionType: [Int]] = [:]
    /// The last value sent to each watcher for each of its places of the state, by the index of the place.
    private var told: [[Int: Value?]] = []

    /// Creates a service without watchers.
    init(_ place: StorePlace = .host) { self.place = place }

    /// Whether any watcher wants actions.
    var hearsActions: Bool { subscriptions.contains { $0.filter.hearsActions } }

    /// Whether any watcher wants the state.
    var hearsState: Bool { subscriptions.contains { $0.filter.pointers.contains { place.local($0) != nil } } }

    /// Adds a watcher.
    func add(_ subscription: WatchSubscription) {
        concerned = [:]
        subscriptions.append(subscription)
        told.append([:])
    }

    /// Removes a watcher.
    func remove(_ subscription: WatchSubscription) {
        guard let place = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        concerned = [:]
        subscriptions.remove(at: place)
        told.remove(at: place)
    }

    // MARK: - Actions

    /// Reports an action that is about to be processed.
    ///
    /// - Parameter sequence: the action's number in the journal; nil without one.
    func take(_ dispatched: DispatchedAction<AnyAction>, sequence: UInt64? = nil) {
        let places = concerned[dispatched.action.type] ?? decide(dispatched.action.type)
        guard !places.isEmpty else { return }
        let emitter = dispatched.dispatcher.instance
        lazy var line = line(of: dispatched, sequence)
        for place in places where subscriptions[place].filter.covers(emitter: emitter) {
            subscriptions[place].add(line)
        }
    }

    /// Determines the watchers of a type.
    private func decide(_ type: ActionType) -> [Int] {
        if concerned.count >= Self.mostTypes { concerned = [:] }
        let name = type.name
        let places = subscriptions.indices.filter { subscriptions[$0].filter.covers(type: name) }
        concerned[type] = places
        return places
    }

    /// Writes the line about an action.
    private func line(of dispatched: DispatchedAction<AnyAction>, _ sequence: UInt64?) -> [UInt8] {
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
            // The plugin's own details.
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

    /// Reports each place of the state that differs from the value last sent.
    func tellState(_ tree: StateTree) {
        for (number, subscription) in subscriptions.enumerated() {
            for (index, pointer) in subscription.filter.pointers.enumerated() {
                guard let local = place.local(pointer) else { continue }
                let value: Value?
                do {
                    value = try tree.value(at: local)
                } catch {
                    // A value that cannot be written is skipped; the next change may be writable.
                    continue
                }
                if let last = told[number].updateValue(value, forKey: index), last == value { continue }
                subscription.add(Self.line(pointer, value))
            }
        }
    }

    /// Writes the line about a place of the state, under the watcher's name for it.
    static func line(_ pointer: JSONPointer, _ value: Value?) -> [UInt8] {
        var state: Members = ["pointer": .string("\(pointer)")]
        state["value"] = value
        let line: Value = ["jsonrpc": "2.0", "method": "watch", "params": ["state": .object(state)]]
        var bytes: [UInt8] = []
        line.writeJSON(to: &bytes)
        return bytes
    }
}
