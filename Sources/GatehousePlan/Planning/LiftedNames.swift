// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehouseManifest
package import GatehouseSDK

/// How one instance's local action names and the host's global ones belong together.
///
/// An object, because the plan, the chain, the instance and what it emits through all have it.
package final class LiftedNames: Sendable {
    /// The id of the instance, and with a slash its default prefix.
    package let instance: String
    /// What the plugin declares.
    private let description: PluginDescription
    /// What stands for `*` among the names that it consumes, because its settings say so; nil where they say nothing of it.
    let heardBySettings: [TypePattern]?
    /// Likewise among those that it emits.
    let emittedBySettings: [TypePattern]?
    /// The lift that the operator has chosen.
    package let lift: LiftConfiguration
    /// What may be emitted after lifting; nil for what the manifest says.
    package let allow: [TypePattern]?

    /// The names of an instance of a plugin with these settings; nil for what the manifest alone says.
    package init(
        instance: String, of description: PluginDescription, settings: Value? = .object(Members()),
        lift: LiftConfiguration, allow: [TypePattern]?
    ) {
        self.instance = instance
        self.description = description
        self.lift = lift
        self.allow = allow
        let manifest = description.manifest
        guard !manifest.narrows.isEmpty, let settings, let schema = manifest.settings else {
            (heardBySettings, emittedBySettings) = (nil, nil)
            return
        }
        let names = SettingsNames(settings, by: schema)
        heardBySettings = manifest.narrows.contains(.consumes) ? names.heard : nil
        emittedBySettings = manifest.narrows.contains(.emits) ? names.emitted : nil
    }

    /// Local names and patterns that the plugin consumes.
    package var consumes: [TypePattern] { description.consumes }

    /// Local names and patterns that the plugin emits.
    package var emits: [TypePattern] { description.emits }

    /// The same as the manifest alone has it.
    var withoutSettings: LiftedNames {
        LiftedNames(instance: instance, of: description, settings: nil, lift: lift, allow: allow)
    }

    /// What the plugin really consumes: `*` stands for what its settings say.
    var consumed: [TypePattern] { Self.narrowed(consumes, to: heardBySettings) }

    /// What the plugin really emits, likewise.
    package var outputs: [TypePattern] { Self.narrowed(emits, to: emittedBySettings) }

    /// Declared names with others in place of `*`.
    private static func narrowed(_ declared: [TypePattern], to names: [TypePattern]?) -> [TypePattern] {
        guard let names else { return declared }
        return declared.flatMap { $0 == .everything ? names : [$0] }
    }

    /// The prefix of an axis that the operator left alone.
    package var defaultPrefix: String { instance + "/" }

    /// The local name under which the plugin hears a global type, nil if it does not.
    ///
    /// A plugin that consumes `*` and whose lift names no input hears everything under its global name; what it emitted
    /// itself under a declared name reaches it under that local name.
    package func local(of global: String) -> String? {
        let name: String?
        switch lift.input {
        case nil:
            if consumes.contains(.everything) {
                if let own = ownName(of: global) { return own }
                return consumed.contains { $0.covers(global) } ? global : nil
            }
            name = Self.strip(defaultPrefix, from: global)
        case .prefix(let prefix): name = Self.strip(prefix, from: global)
        case .map(let map): name = map.mapped(global)
        }
        guard let name, !name.isEmpty, consumed.contains(where: { $0.covers(name) }) else { return nil }
        return name
    }

    /// The local name of a global type below the instance's own prefix, if the plugin declares it by its full name.
    private func ownName(of global: String) -> String? {
        guard case nil = lift.output, let rest = Self.strip(defaultPrefix, from: global) else { return nil }
        return (consumes + emits).contains { !$0.isOpen && $0.covers(rest) } ? rest : nil
    }

    /// The global type of a local name, nil when the lift gives it none.
    ///
    /// A plugin that emits `*` and whose lift names no output emits undeclared names as they are.
    package func global(of local: String) -> String? {
        switch lift.output {
        case nil:
            let isDeclared = emits.contains { $0 != .everything && $0.covers(local) }
            return isDeclared || !emits.contains(.everything) ? defaultPrefix + local : local
        case .prefix(let prefix): return prefix + local
        case .map(let map): return map.mapped(local)
        }
    }

    /// The global type that the plugin hears under a local name; nil where that cannot be told.
    package func heard(as local: String) -> String? {
        switch lift.input {
        case nil: return consumes.contains(.everything) ? local : defaultPrefix + local
        case .prefix(let prefix): return prefix + local
        case .map(let map):
            return map.entries.first { !$0.from.isOpen && $0.to.stem == local && !$0.to.isOpen }?.from.stem
        }
    }

    /// Whether the instance may emit a local name under a global type.
    ///
    /// Types below `host/` need an entry of `allow` that spells out `host/`.
    package func mayEmit(_ local: String, as global: String) -> Bool {
        if let allow { return allow.contains { $0.admits(global) } }
        return !ReservedNames.isForHost(global) && outputs.contains { $0.covers(local) }
    }

    /// Why `mayEmit` says no, and what to do about it.
    package func refusal(of global: String) -> String {
        if allow != nil { return "\"allow\" does not cover it; add it there" }
        return ReservedNames.isForHost(global)
            ? "it belongs to the host; name it in \"allow\" if this instance may"
            : emittedBySettings != nil
                ? "neither its settings nor \"emits\" in its plugin.json name it; name it in \"allow\""
                : "its plugin.json does not declare it in \"emits\"; name it in \"allow\""
    }

    /// What follows a prefix, nil if the name has another beginning; byte by byte.
    package static func strip(_ prefix: String, from name: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
