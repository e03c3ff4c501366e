// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
package import GatehouseSDK

extension Generation {
    /// Does what an action asks of the host itself, and tells about what could not be done; the gates have seen it already.
    @inline(never)
    func fulfil(_ request: HostRequest, _ dispatched: DispatchedAction<AnyAction>) {
        guard let reason = refusal(of: request, dispatched.action) else { return }
        report(
            .refusedHostAction(
                source: dispatched.dispatcher, type: dispatched.action.type.name, reason: reason))
    }

    /// Does what an action asks of the host itself; returns why not, nil when that was done.
    private func refusal(of request: HostRequest, _ action: AnyAction) -> String? {
        switch request {
        case .mergeState:
            let reason = merge(action)
            if reason == nil {
                pass.isChanged = true
                store.probation?.noteMerge()
            }
            return reason
        case .moveGate: return gateRefusal(of: action)
        case .release: return release(action)
        case .reload:
            guard let onReload = store.onReload else {
                return "this host was started without a configuration file, so it cannot reload"
            }
            onReload()
            return nil
        }
    }

    /// Lets a library out of quarantine; returns why not, nil when that was done.
    private func release(_ action: AnyAction) -> String? {
        guard let onRelease = store.onRelease else {
            return "this host was started without a configuration file, so it cannot reload"
        }
        guard case .string(let name) = action.payload, let plugin = quarantined(name) else {
            let names = instances.filter { $0.planned.quarantine != nil }.map(\.id)
            return
                "expected an instance, plugin or digest in quarantine as payload, found \(action.payload.map { $0.json() } ?? "none"); "
                + (names.isEmpty
                    ? "none is in quarantine" : "in quarantine are \(names.joined(separator: ", "))")
        }
        onRelease(plugin)
        return nil
    }

    /// The digest of what is in quarantine and has a name: the id of an instance or of a plugin, or a digest or its beginning.
    func quarantined(_ name: String) -> String? {
        instances.first { instance in
            guard instance.planned.quarantine != nil, let digest = instance.planned.digest?.hex else {
                return false
            }
            return instance.id == name || instance.manifest.id == name
                || name.utf8.count >= 8 && digest.hasPrefix(name.lowercased())
        }?.planned.digest?.hex
    }

    /// Merges a patch that an operator sent; returns why it was not merged, nil when it was.
    func merge(_ action: AnyAction) -> String? {
        guard let patch = action.payload, case .object = patch else {
            return "expected an object as payload, found \(action.payload?.kindName ?? "none")"
        }
        guard patch[ReservedNames.identifier] == nil else {
            return
                "the patch reaches into \(ReservedNames.slice), which belongs to the host; nothing was merged"
        }
        return state.changing.merge(patch).map {
            "the patch reaches into \($0.pointer), which belongs to the instance \($0.instance); nothing was merged"
        }
    }

    /// Why a host action moved no gate; nil when it did.
    private func gateRefusal(of action: AnyAction) -> String? {
        guard case .string(let id) = action.payload, let instance = instances.first(where: { $0.id == id })
        else {
            let known =
                instances.isEmpty
                ? "there are none" : "the instances are \(instances.map(\.id).joined(separator: ", "))"
            return
                "expected the id of an instance as payload, found \(action.payload.map { $0.json() } ?? "none"); \(known)"
        }
        return instance.statePointer.map {
            "the gate of \(id) follows the state at \($0); change it with \(HostActions.mergeState)"
        }
    }
}

/// What an action asks of the host itself.
package enum HostRequest {
    /// To merge the payload into the plain state.
    case mergeState
    /// To move the gate of the instance that the payload names.
    case moveGate
    /// To look at the configuration again.
    case reload
    /// To let what the payload names out of quarantine.
    case release

    /// The type of the action that lets a library out of quarantine; its payload is the id of an instance or a plugin, or a digest.
    package static let releaseType = ActionType("host/release")

    /// What a type asks for, nil for a type that is not the host's own.
    init?(_ type: ActionType) {
        switch type {
        case HostActions.mergeState: self = .mergeState
        case HostActions.openGate, HostActions.closeGate: self = .moveGate
        case HostActions.reload: self = .reload
        case Self.releaseType: self = .release
        default: return nil
        }
    }
}
