// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What a plugin's author declares about it, in `plugin.json`.
///
/// ```json
/// { "id": "greeter", "version": "1.0.0", "summary": "Greets whoever says hello",
///   "principal": "Greeter", "consumes": ["hello"], "emits": ["greeted"] }
/// ```
public struct PluginManifest: Hashable, Sendable {
    /// The name that configurations use: lower-case letters, digits and hyphens, starting with a letter.
    public let id: String
    /// The version of the plugin.
    public let version: SemanticVersion
    /// What the plugin does, in one line.
    public let summary: String
    /// The Swift type that is the plugin, as its own module spells it; nil for a foreign plugin.
    public let principal: String?
    /// The local names of the action types the plugin hears; a star at the end stands for any rest.
    public let consumes: [String]
    /// The local names of the action types the plugin sends; a star at the end stands for any rest.
    public let emits: [String]
    /// Of which of the two the settings of an instance name what it really hears or emits: that stands for `*` then.
    public private(set) var narrows: Set<NarrowedNames>
    /// A JSON Schema for the settings, always an object; nil if the author gives none.
    public let settings: Value?
    /// What the operator must grant.
    public let permissions: [String]
    /// Where its instances are, if several hosts share the work.
    public let scope: PluginScope
    /// What becomes of actions that its interceptor cannot decide about while the host keeps it in quarantine; nil if the author does
    /// not say, which means that they pass.
    public let onQuarantine: QuarantinedInterception?
    /// What becomes of its effects when they end before they have done their work; nil if the author does not say, which means that
    /// they begin again.
    public let onInterruption: InterruptedEffect?
    /// Whether it takes part where it only lies in the folder of the plugins.
    public let discovery: PluginDiscovery

    /// Puts a manifest together without checking it.
    public init(
        id: String, version: SemanticVersion, summary: String, principal: String?, consumes: [String],
        emits: [String] = [], narrows: Set<NarrowedNames> = [], settings: Value? = nil,
        permissions: [String] = [],
        scope: PluginScope = .partition, onQuarantine: QuarantinedInterception? = nil,
        onInterruption: InterruptedEffect? = nil,
        discovery: PluginDiscovery = .always
    ) {
        self.id = id
        self.version = version
        self.summary = summary
        self.principal = principal
        self.consumes = consumes
        self.emits = emits
        self.narrows = narrows
        self.settings = settings
        self.permissions = permissions
        self.scope = scope
        self.onQuarantine = onQuarantine
        self.onInterruption = onInterruption
        self.discovery = discovery
    }

    /// The same where `*` stands for everything, whatever settings say.
    public var withoutNarrowing: PluginManifest {
        var manifest = self
        manifest.narrows = []
        return manifest
    }

    /// The keys that a manifest may have, in the order in which it is written.
    public static let keys = [
        "id", "version", "summary", "principal", "consumes", "emits", "narrows", "settings", "permissions",
        "scope",
        "onQuarantine", "onInterruption", "discovery",
    ]

    /// The keys that the manifest of a foreign plugin may have.
    static let foreignKeys = keys.filter { $0 != "principal" }

    /// The manifest as JSON; `principal` and `settings` are left out if there are none, and so are an empty `narrows`, the usual
    /// `scope` and `discovery`, and an `onQuarantine` or `onInterruption` that is not given.
    public var value: Value {
        var members: [(String, Value)] = [
            ("id", .string(id)), ("version", .string(version.description)), ("summary", .string(summary)),
        ]
        if let principal { members.append(("principal", .string(principal))) }
        members.append(("consumes", .array(consumes.map(Value.string))))
        members.append(("emits", .array(emits.map(Value.string))))
        if !narrows.isEmpty {
            members.append(
                ("narrows", .array(narrows.map(\.rawValue).sorted().map(Value.string))))
        }
        if let settings { members.append(("settings", settings)) }
        members.append(("permissions", .array(permissions.map(Value.string))))
        // Left out, so that the notes of most plugins say nothing that earlier hosts do not know.
        if scope != .partition { members.append(("scope", .string(scope.rawValue))) }
        if let onQuarantine { members.append(("onQuarantine", .string(onQuarantine.rawValue))) }
        if let onInterruption { members.append(("onInterruption", .string(onInterruption.rawValue))) }
        if discovery != .always { members.append(("discovery", .string(discovery.rawValue))) }
        return .object(Members(members))
    }
}

/// What the settings of a plugin may name in place of `*`.
public enum NarrowedNames: String, CaseIterable, Hashable, Sendable {
    /// What it hears.
    case consumes
    /// What it sends.
    case emits
}

/// What becomes of actions that the interceptor of a plugin in quarantine would have decided about.
public enum QuarantinedInterception: String, CaseIterable, Hashable, Sendable {
    /// They pass, as if there were no interceptor.
    case pass
    /// They stop, and are kept as dead letters.
    case stop
}

/// What becomes of an effect that holds a run open and ends before it has done its work, because the process dies or its instance is
/// replaced, stopped, or released from quarantine.
public enum InterruptedEffect: String, CaseIterable, Hashable, Sendable {
    /// Its action is shown to the instance once more, which begins it again under the same key.
    case again
    /// The host says so by the action `host/effect/interrupted`.
    case tell
    /// Nothing.
    case forget
}

/// Where the instances of a plugin are in a cluster; means nothing to a host that is in none.
public enum PluginScope: String, CaseIterable, Hashable, Sendable {
    /// In each partition one, with a state of its own: it hears the actions of its partition.
    case partition
    /// In each host one, in front of the partitions: it hears what its host itself has to tell and what others of this scope emit.
    case host
    /// In the whole cluster one, in the first partition.
    case cluster
}

/// Whether a plugin takes part where its library only lies in the folder of the plugins, and no entry of a configuration names it.
public enum PluginDiscovery: String, CaseIterable, Hashable, Sendable {
    /// It does where the configuration says so: it makes sense with default settings.
    case always
    /// It does not: without an entry it would do nothing, or something that nobody has asked for.
    case never
}
