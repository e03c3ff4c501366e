// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// How one instance's local action names and the host's global ones belong together.
struct LiftedNames: Sendable {
    /// The id of the instance, and with a slash its default prefix.
    let instance: String
    /// Local names and patterns that the plugin consumes.
    let consumes: [TypePattern]
    /// Local names and patterns that the plugin emits.
    let emits: [TypePattern]
    /// The lift that the operator has chosen.
    let lift: LiftConfiguration
    /// What may be emitted after lifting; nil for what the manifest says.
    let allow: [TypePattern]?

    /// The names of an instance of a plugin.
    init(instance: String, manifest: PluginManifest, lift: LiftConfiguration, allow: [TypePattern]?) {
        self.instance = instance
        consumes = manifest.consumes.compactMap { TypePattern($0) }
        emits = manifest.emits.compactMap { TypePattern($0) }
        self.lift = lift
        self.allow = allow
    }

    /// The prefix of an axis that the operator left alone.
    var defaultPrefix: String { instance + "/" }

    /// The local name under which the plugin hears a global type, nil if it does not.
    ///
    /// A plugin that consumes `*` and whose lift names no input hears everything under its global name; what it emitted
    /// itself under a declared name reaches it under that local name.
    func local(of global: String) -> String? {
        let name: String?
        switch lift.input {
        case nil:
            if consumes.contains(.everything) {
                return ownName(of: global) ?? global
            }
            name = Self.strip(defaultPrefix, from: global)
        case .prefix(let prefix): name = Self.strip(prefix, from: global)
        case .map(let map): name = map.mapped(global)
        }
        guard let name, !name.isEmpty, consumes.contains(where: { $0.covers(name) }) else {
            return nil
        }
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
    func global(of local: String) -> String? {
        switch lift.output {
        case nil:
            let isDeclared = emits.contains { $0 != .everything && $0.covers(local) }
            return isDeclared || !emits.contains(.everything) ? defaultPrefix + local : local
        case .prefix(let prefix): return prefix + local
        case .map(let map): return map.mapped(local)
        }
    }

    /// The global type that the plugin hears under a local name; nil where that cannot be told.
    func heard(as local: String) -> String? {
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
    func mayEmit(_ local: String, as global: String) -> Bool {
        if let allow { return allow.contains { $0.admits(global) } }
        return !ReservedNames.isForHost(global) && emits.contains { $0.covers(local) }
    }

    /// Why `mayEmit` says no, and what to do about it.
    func refusal(of global: String) -> String {
        if allow != nil { return "\"allow\" does not cover it; add it there" }
        return ReservedNames.isForHost(global)
            ? "it belongs to the host; name it in \"allow\" if this instance may"
            : "its plugin.json does not declare it in \"emits\"; name it in \"allow\""
    }

    /// What follows a prefix, nil if the name has another beginning; byte by byte.
    static func strip(_ prefix: String, from name: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
