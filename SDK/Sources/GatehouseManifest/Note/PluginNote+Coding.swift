// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

extension PluginNote {
    /// How a plugin's actions are read from payloads and written to them; the values are the same.
    public enum Coding: Hashable, Sendable {
        /// By code that the build tool generated from the enum.
        case generated
        /// By `Codable`; the reason is a clause that names the enum.
        case codable(reason: String)
    }
}

extension PluginNote.Coding {
    /// The coding as JSON.
    var value: Value {
        switch self {
        case .generated: ["generated": true]
        case .codable(let reason): ["generated": false, "reason": .string(reason)]
        }
    }

    /// Reads the coding; nil for a note without one, as from older SDKs.
    init?(_ object: LocatedObject) {
        guard let node = object["coding"] else { return nil }
        let members = node.value.value
        switch (members["generated"], members["reason"]) {
        case (.bool(true), _): self = .generated
        case (.bool(false), .string(let reason)): self = .codable(reason: reason)
        default:
            node.report(
                expecting: "\"generated\" and, if that is false, \"reason\"",
                advice: "rebuild the plugin with this host's SDK")
            return nil
        }
    }
}
