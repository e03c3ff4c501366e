// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehouseSDK

// An entry in the form of `plugins.json`: reading it again gives the same entry.
extension InstanceConfiguration {
    /// The entry as JSON, without what has its default.
    ///
    /// The gate of a library in quarantine, which no configuration can ask for, is written as `bypass`.
    package var value: Value {
        var members: Members = ["id": .string(id)]
        if let was { members["was"] = .string(was) }
        if let library { members["library"] = .string(library) }
        if let sha256 { members["sha256"] = sha256.value }
        if isOptional { members["optional"] = true }
        if settings != .object(Members()) { members["settings"] = settings }
        if lift != .standard { members["lift"] = lift.value }
        if gate != .active || onClose != .cancel { members["gate"] = .object(gate.members(onClose)) }
        if let allow { members["allow"] = .array(allow.map { .string("\($0)") }) }
        if let placement { members["placement"] = .string(placement.rawValue) }
        if grant != GrantConfiguration() { members["grant"] = grant.value }
        if let keep { members["keep"] = keep.value }
        return .object(members)
    }
}

extension LiftConfiguration {
    /// The lift as JSON, without the axes that have their defaults.
    fileprivate var value: Value {
        var members = Members()
        members["input"] = input?.value
        members["output"] = output?.value
        if let state { members["state"] = .string("\(state)") }
        if let dependencies { members["dependencies"] = .array(dependencies.map(Value.string)) }
        return .object(members)
    }
}

extension NameLift {
    /// The prefix, or the map.
    fileprivate var value: Value {
        switch self {
        case .prefix(let prefix): .string(prefix)
        case .map(let map):
            .object(Members(map.entries.map { ("\($0.from)", .string("\($0.to)")) }))
        }
    }
}

extension GateConfiguration {
    /// The gate in its long form.
    fileprivate func members(_ onClose: OnClose) -> Members {
        var members: Members
        switch self {
        case .active: members = ["default": "active"]
        case .bypass: members = ["default": "bypass"]
        case .action(let control, let at, let turnOn, let turnOff, let start):
            members = [
                "control": ["type": .string(control), "at": .string("\(at)")], "turnOn": turnOn,
                "turnOff": turnOff, "default": .string(start.rawValue),
            ]
        case .state(let pointer): members = ["state": .string("\(pointer)")]
        }
        if onClose != .cancel { members["onClose"] = .string(onClose.rawValue) }
        return members
    }
}
