// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// What a plugin's entry gives the host: everything from here on is ordinary Swift across the boundary.
///
/// Functions rather than methods to override, because a function is compiled for the plugin's own types.
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
    /// Makes the present form out of an older one, compiled in the plugin's image; nil for a plugin that had no other.
    @usableFromInline let migrateState: ((Value, Int) throws -> Value)?
    /// Makes the parts of one instance; compiled in the plugin's image.
    @usableFromInline let make:
        (Value, AnyObject?, @escaping (Misfit) -> Void) throws(CodingFailure) -> PluginParts

    /// The exports of a plugin type.
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

    /// All of the above; `interceptor` and `migrate` are nil for a plugin that has none.
    @inlinable
    init<P: Plugin>(
        _ plugin: P.Type, interceptor: ((P.Context) -> AnyInterceptor<P.Action, P.State>)?,
        stateVersion: Int, migrate: ((Value, Int) throws -> Value)?
    ) {
        self.stateVersion = stateVersion
        migrateState = migrate
        intercepts = interceptor != nil
        keepsState = P.State.self != NoState.self
        findUnknownNames = { names in CaseNames.unknown(in: names, for: P.Action.self) }
        compareSettings = { schema in SettingsDifference(schema, P.Settings.self) }
        make = { (settings, decoded, report) throws(CodingFailure) in
            try PluginParts(
                of: P.self, settings: settings, interceptor: interceptor, decoded: decoded, report: report)
        }
    }

    /// The exports of a plugin without a Swift type, from functions that reach it in another way.
    ///
    /// What its manifest declares is not compared with anything: there is no action type and no settings type.
    ///
    /// - Parameters:
    ///   - keepsState: whether its instances own slices.
    ///   - intercepts: whether its parts have an interceptor.
    ///   - stateVersion: the version of the form of its state, 1 or more.
    ///   - migrate: makes the present form out of an older one; nil for a plugin that had no other.
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
        compareSettings = { _ in SettingsDifference.none }
        make = makeParts
    }

    /// The names, among those the manifest declares, that are no case of the plugin's action type.
    ///
    /// A name that ends in `*` is a pattern and not looked at.
    public func unknownNames(in names: [String]) -> [String] {
        findUnknownNames(names.filter { !$0.hasSuffix("*") })
    }

    /// What the schema of the manifest and the plugin's settings type do not have in common.
    public func settingsDifference(from schema: Schema) -> SettingsDifference { compareSettings(schema) }

    /// The parts of one instance.
    ///
    /// - Parameters:
    ///   - settings: the operator's object.
    ///   - decoded: what another instance of this plugin in the same host gave as its parts' `decoded`, so that a payload is
    ///     decoded once for all of them; nil for the first.
    ///   - report: told, in the drain, about what does not decode or encode.
    /// - Throws: `CodingFailure` when the settings do not fit.
    public func makeParts(
        settings: Value, decoded: AnyObject? = nil, report: @escaping (Misfit) -> Void
    ) throws(CodingFailure) -> PluginParts {
        try make(settings, decoded, report)
    }

    /// A state in its present form, made out of one that a library of some version has written.
    ///
    /// - Throws: why it cannot be: what the plugin threw, or a version that this plugin does not know.
    public func migrate(_ state: Value, from version: Int) throws(CodingFailure) -> Value {
        if version == stateVersion { return state }
        guard version < stateVersion, version > 0, let migrateState else {
            throw CodingFailure(
                pointer: .whole, expected: "state of version at most \(stateVersion)",
                found: "version \(version)")
        }
        do {
            return try migrateState(state, version)
        } catch {
            throw CodingFailure(error)
        }
    }
}
