// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Does what clients of the control socket ask for, and instances that are granted `control`.
@EventLoop
final class ControlDesk {
    /// The host that is asked.
    let target: any ControlTarget
    /// Gives what is known of the clients of a socket; nil where there is none.
    var clients: (@EventLoop () -> ControlClients)?
    /// Makes the actions that are sent.
    private var intake = ActionIntake()

    /// A desk in front of a host.
    nonisolated init(_ target: any ControlTarget) { self.target = target }

    /// Does what a method asks for; watching is not one of these, because its answers do not end.
    func answer(
        _ method: ControlMethod, _ parameters: ControlParameters, for caller: ControlCaller
    ) async throws(ControlError) -> Value {
        switch method {
        case .status: return try await status().value
        case .metrics: return .string(MetricsText(try await status()).text)
        case .plan: return try await target.plan()
        case .reload:
            let generation = try parameters.number("expect")
            try await target.permit(caller)
            return try await target.reload(expecting: generation)
        case .gate:
            let id = try parameters.text("id", "the id of an instance")
            let position = try Self.position(parameters)
            let before = try await target.moveGate(of: id, to: position, for: caller)
            return ["id": .string(id), "gate": .string(position.word), "was": .string(before.word)]
        case .dispatch:
            let actions = try made(try parameters.actions())
            let reported = try await target.dispatch(actions, for: caller)
            return ["dispatched": Value(actions.count), "reported": Value(reported)]
        case .state:
            let pointer = try parameters.pointer("pointer")
            var members: Members = ["pointer": .string("\(pointer)")]
            members["value"] = try await target.state(at: pointer)
            return .object(members)
        case .watch, .unwatch:
            throw .refused("expected a request with one answer, found \(method.rawValue); call watch instead")
        case .stop:
            try await target.permit(caller)
            try target.stop()
            return ["stopping": true]
        }
    }

    /// What host and socket know.
    private func status() async throws(ControlError) -> ControlStatus {
        var status = try await target.status()
        status.clients = clients?()
        return status
    }

    /// The actions that somebody sent.
    private func made(_ sent: [ControlAction]) throws(ControlError) -> [AnyAction] {
        let actions = sent.compactMap { $0.made(by: &intake) }
        guard actions.count == sent.count else {
            throw .exhausted("there is no room for more new action types; nothing was dispatched")
        }
        return actions
    }

    /// Where a gate is to go.
    private static func position(_ parameters: ControlParameters) throws(ControlError) -> GateState {
        switch parameters["position"] {
        case "open": return .active
        case "close": return .bypass
        case let other:
            throw .parameter(
                at: JSONPointer(tokens: ["params", "position"]), expected: "\"open\" or \"close\"",
                found: other?.quoted ?? "none")
        }
    }
}

// MARK: - Instances

extension ControlDesk: GrantedControl.Target {
    func request(
        _ method: String, _ parameters: Value, from caller: ControlCaller
    ) async throws(ControlError) -> Value {
        guard let known = ControlMethod(rawValue: method) else { throw .unknown(method: method) }
        return try await answer(known, try ControlParameters(parameters, of: known), for: caller)
    }

    func watch(_ parameters: Value) async throws(ControlError) -> HostNews {
        let watch = InstanceWatch(try ControlParameters(parameters, of: .watch).filter(), of: target)
        try await target.watch(watch.subscription)
        return HostNews { () throws(ControlError) in try await watch.next() }
    }
}
