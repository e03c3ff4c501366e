// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// The author's declarations about a plugin, in `plugin.json`.
///
/// ```json
/// { "id": "greeter", "version": "1.0.0", "summary": "Greets whoever says hello",
///   "principal": "Greeter", "consumes": ["hello"], "emits": ["greeted"] }
/// ```
public struct PluginManifest: Hashable, Sendable {
    /// The name in configurations: lower-case letters, digits and hyphens, starting with a letter.
    public let id: String
    /// The version of the plugin.
    public let version: SemanticVersion
    /// The purpose of the plugin, in one line.
    public let summary: String
    /// The plugin's Swift type, as its own module spells it; nil for a foreign plugin.
    public let principal: String?
    /// The local names of the action types the plugin hears; a star at the end matches any rest.
    public let consumes: [String]
    /// The local names of the action types the plugin sends; a star at the end matches any rest.
    public let emits: [String]
    /// A JSON Schema for the settings, always an object; nil if the author gives none.
    public let settings: Value?
    /// The permissions that the operator must grant.
    public let permissions: [String]
    /// The lists in which the settings of an instance name the real action types, in place of `*`.
    public var narrows: Set<NarrowedNames> = []
    /// The place of its instances, if several hosts share the work.
    public var scope = PluginScope.partition
    /// What happens to actions that its interceptor cannot decide about during quarantine; nil if the author does not say: they
    /// pass.
    public var onQuarantine: QuarantinedInterception?
    /// What happens to its effects if they end before their work is done; nil if the author does not say: they begin again.
    public var onInterruption: InterruptedEffect?
    /// Whether it takes part by merely lying in the plugin folder.
    public var discovery = PluginDiscovery.always

    /// Creates a manifest without checking it; what it does not take has the value of a key that is not written.
    public init(
        id: String, version: SemanticVersion, summary: String, principal: String?, consumes: [String],
        emits: [String] = [], settings: Value? = nil, permissions: [String] = []
    ) {
        self.id = id
        self.version = version
        self.summary = summary
        self.principal = principal
        self.consumes = consumes
        self.emits = emits
        self.settings = settings
        self.permissions = permissions
    }

    /// The same manifest with `*` for everything, regardless of settings.
    public var withoutNarrowing: PluginManifest {
        var manifest = self
        manifest.narrows = []
        return manifest
    }

    /// The keys of a manifest, in the order of writing.
    public static let keys = [
        "id", "version", "summary", "principal", "consumes", "emits", "narrows", "settings", "permissions",
        "scope", "onQuarantine", "onInterruption", "discovery",
    ]

    /// The keys of a foreign plugin's manifest.
    static let foreignKeys = keys.filter { $0 != "principal" }

    /// The manifest as JSON; omits `principal` and `settings` if there are none, an empty `narrows`, the default `scope` and
    /// `discovery`, and an `onQuarantine` or `onInterruption` that is not given.
    public var value: Value {
        var members: Members = [
            "id": .string(id), "version": .string(version.description), "summary": .string(summary),
        ]
        members["principal"] = principal.map(Value.string)
        members["consumes"] = .array(consumes.map(Value.string))
        members["emits"] = .array(emits.map(Value.string))
        if !narrows.isEmpty {
            members["narrows"] = .array(narrows.map(\.rawValue).sorted().map(Value.string))
        }
        members["settings"] = settings
        members["permissions"] = .array(permissions.map(Value.string))
        // Omitted, so that the notes of most plugins contain nothing unknown to earlier hosts.
        if scope != .partition { members["scope"] = .string(scope.rawValue) }
        members["onQuarantine"] = (onQuarantine?.rawValue).map(Value.string)
        members["onInterruption"] = (onInterruption?.rawValue).map(Value.string)
        if discovery != .always { members["discovery"] = .string(discovery.rawValue) }
        return .object(members)
    }
}

/// A list in which a plugin's settings may replace `*`.
public enum NarrowedNames: String, CaseIterable, Hashable, Sendable {
    /// The types it hears.
    case consumes
    /// The types it sends.
    case emits
}

/// What happens to actions that the interceptor of a plugin in quarantine would have decided about.
public enum QuarantinedInterception: String, CaseIterable, Hashable, Sendable {
    /// They pass, as if there were no interceptor.
    case pass
    /// They stop, and are kept as dead letters.
    case stop
}

/// What happens when an effect that holds a run open ends before its work is done.
///
/// It ends because the process dies or its instance is replaced, stopped, or released from quarantine.
public enum InterruptedEffect: String, CaseIterable, Hashable, Sendable {
    /// The instance sees the action once more and begins the effect again under the same key.
    case again
    /// The host emits the action `host/effect/interrupted`.
    case tell
    /// Nothing.
    case forget
}

/// The place of a plugin's instances in a cluster; meaningless to a host outside one.
public enum PluginScope: String, CaseIterable, Hashable, Sendable {
    /// One in each partition, with a state of its own: it hears the actions of its partition.
    case partition
    /// One in each host, in front of the partitions: it hears its own host's actions and those that others of this scope emit.
    case host
    /// One in the whole cluster, in the first partition.
    case cluster
}

/// Whether a plugin takes part when its library merely lies in the plugin folder, without an entry in a configuration.
public enum PluginDiscovery: String, CaseIterable, Hashable, Sendable {
    /// It does if the configuration says so: it makes sense with default settings.
    case always
    /// It does not: without an entry it would do nothing, or something unwanted.
    case never
}
