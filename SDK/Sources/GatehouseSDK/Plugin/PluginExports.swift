// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// The result of a plugin's entry: from here on, the boundary is ordinary Swift.
///
/// Closures rather than methods to override, because a closure is compiled for the plugin's own types.
public final class PluginExports {
    /// Asks the plugin's action type for names; compiled in the plugin's image.
    @usableFromInline let findUnknownNames: ([String]) -> [String]
    /// Compares the plugin's settings type with a schema; compiled in the plugin's image.
    @usableFromInline let compareSettings: (Schema) -> SettingsDifference
    /// Whether the plugin keeps state, and so owns a slice.
    public let keepsState: Bool
    /// Whether the plugin adopts `InterceptingPlugin`.
    public let intercepts: Bool
    /// The version of the form of the plugin's state; 1 for a plugin that does not adopt `MigratingPlugin`.
    public let stateVersion: Int
    /// Converts an older state to the current form, compiled in the plugin's image; nil for a plugin without older forms.
    @usableFromInline let migrateState: ((Value, Int) throws -> Value)?
    /// Makes the parts of one instance; compiled in the plugin's image.
    @usableFromInline let make:
        (Value, AnyObject?, @escaping (Misfit) -> Void) throws(CodingFailure) -> PluginParts

    /// Creates the exports of a plugin type.
    @inlinable
    public convenience init<P: Plugin>(_ plugin: P.Type) {
        self.init(plugin, interceptor: nil, stateVersion: 1, migrate: nil)
    }

    /// The exports of a plugin type that decides about actions; chosen by the compiler where the type is known.
    @inlinable
    public convenience init<P: InterceptingPlugin>(_ plugin: P.Type) {
        self.init(plugin, interceptor: { P.interceptor($0) }, stateVersion: 1, migrate: nil)
    }

    /// The exports of a plugin type that reads older forms of its state; likewise.
    @inlinable
    public convenience init<P: MigratingPlugin>(_ plugin: P.Type) {
        self.init(
            plugin, interceptor: nil, stateVersion: P.stateVersion,
            migrate: { try P.migrate($0, from: $1) })
    }

    /// The exports of a plugin type that does both; likewise.
    @inlinable
    public convenience init<P: InterceptingPlugin & MigratingPlugin>(_ plugin: P.Type) {
        self.init(
            plugin, interceptor: { P.interceptor($0) }, stateVersion: P.stateVersion,
            migrate: { try P.migrate($0, from: $1) })
    }

    /// Creates any of the above; `interceptor` and `migrate` are nil for a plugin that has none.
    @inlinable
    init<P: Plugin>(
        _ plugin: P.Type, interceptor: ((P.Context) -> AnyInterceptor<P.Action, P.State>)?,
        stateVersion: Int, migrate: ((Value, Int) throws -> Value)?
    ) {
        self.stateVersion = stateVersion
        migrateState = migrate
        intercepts = interceptor != nil
        keepsState = P.State.self != NoState.self
        findUnknownNames = { names in Self.unknown(names, of: P.Action.self) }
        compareSettings = { schema in SettingsDifference(schema, P.Settings.self) }
        make = { (settings, decoded, report) throws(CodingFailure) in
            try PluginParts(
                of: P.self, settings: settings, interceptor: interceptor, decoded: decoded, report: report)
        }
    }

    /// Creates the exports of a plugin without a Swift type, from functions that reach it in another way.
    ///
    /// Its manifest is compared with nothing, for lack of an action type and a settings type.
    ///
    /// - Parameters:
    ///   - keepsState: whether its instances own slices.
    ///   - intercepts: whether its parts have an interceptor.
    ///   - stateVersion: the version of the form of its state, 1 or more.
    ///   - migrate: converts an older form to the current one; nil for a plugin without older forms.
    ///   - makeParts: see `makeParts(settings:decoded:report:)`.
    public init(
        keepsState: Bool, intercepts: Bool, stateVersion: Int, migrate: ((Value, Int) throws -> Value)?,
        makeParts:
            @escaping (Value, AnyObject?, @escaping (Misfit) -> Void) throws(CodingFailure) -> PluginParts
    ) {
        self.keepsState = keepsState
        self.intercepts = intercepts
        self.stateVersion = stateVersion
        migrateState = migrate
        findUnknownNames = { _ in [] }
        compareSettings = { _ in SettingsDifference() }
        make = makeParts
    }

    /// Returns the declared names that are no case of the plugin's action type.
    ///
    /// Ignores patterns, which end in `*`.
    public func unknownNames(in names: [String]) -> [String] {
        findUnknownNames(names.filter { !$0.hasSuffix("*") })
    }

    /// Returns the names that are no case of an action type; none if the type does not decode as an enum does.
    @usableFromInline
    static func unknown(_ names: [String], of type: (some PluginAction).Type) -> [String] {
        if type == AnyAction.self { return [] }
        guard case .unknown(let names) = KeyProbe.answer(of: type, to: names) else { return [] }
        return names
    }

    /// Compares the manifest's schema with the plugin's settings type.
    public func settingsDifference(from schema: Schema) -> SettingsDifference { compareSettings(schema) }

    /// Makes the parts of one instance.
    ///
    /// - Parameters:
    ///   - settings: the operator's object.
    ///   - decoded: the `decoded` of the parts of another instance of this plugin in the same host, so that each payload is
    ///     decoded once for all of them; nil for the first.
    ///   - report: receives, in the drain, failures to decode or encode.
    /// - Throws: `CodingFailure` when the settings do not fit.
    public func makeParts(
        settings: Value, decoded: AnyObject? = nil, report: @escaping (Misfit) -> Void
    ) throws(CodingFailure) -> PluginParts {
        try make(settings, decoded, report)
    }

    /// Converts a state that a library of some version has written to the current form.
    ///
    /// - Throws: why not: the plugin's error, or a version that this plugin does not know.
    public func migrate(_ state: Value, from version: Int) throws(CodingFailure) -> Value {
        if version == stateVersion { return state }
        guard version < stateVersion, version > 0, let migrateState else {
            throw CodingFailure(
                pointer: .whole, expected: "state of version at most \(stateVersion)",
                found: "version \(version)")
        }
        return try CodingFailure.catching { try migrateState(state, version) }
    }
}
