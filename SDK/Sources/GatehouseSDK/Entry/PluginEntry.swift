// SPDX-License-Identifier: Apache-2.0

private import CGatehouse

/// The Swift side of the C entry that the build tool generates for each plugin.
public enum PluginEntry {
    /// The number of the contract of this SDK.
    public static var abi: UInt32 { UInt32(GATEHOUSE_ABI) }

    /// The address that identifies one copy of the SDK: the metadata of one of its classes.
    public static var sdkIdentity: UnsafeRawPointer {
        unsafe unsafeBitCast(PluginExports.self as AnyClass, to: UnsafeRawPointer.self)
    }

    /// Returns a retained `PluginExports` to the host, or nil after telling it why.
    ///
    /// Inlined into the plugin, so that everything generic in its exports is compiled for its own types.
    ///
    /// ## Safety
    /// `host` is nil or points to a `gatehouse_host_v1` that is valid during the call.
    @inlinable
    public static func open<P: Plugin>(
        _ plugin: P.Type, for host: UnsafeRawPointer?
    ) -> UnsafeMutableRawPointer? {
        unsafe accepts(host) ? Unmanaged.passRetained(PluginExports(plugin)).toOpaque() : nil
    }

    /// The same for a plugin that decides about actions.
    ///
    /// ## Safety
    /// As above.
    @inlinable
    public static func open<P: InterceptingPlugin>(
        _ plugin: P.Type, for host: UnsafeRawPointer?
    ) -> UnsafeMutableRawPointer? {
        unsafe accepts(host) ? Unmanaged.passRetained(PluginExports(plugin)).toOpaque() : nil
    }

    /// The same for a plugin that reads older forms of its state.
    ///
    /// ## Safety
    /// As above.
    @inlinable
    public static func open<P: MigratingPlugin>(
        _ plugin: P.Type, for host: UnsafeRawPointer?
    ) -> UnsafeMutableRawPointer? {
        unsafe accepts(host) ? Unmanaged.passRetained(PluginExports(plugin)).toOpaque() : nil
    }

    /// The same for a plugin that does both.
    ///
    /// ## Safety
    /// As above.
    @inlinable
    public static func open<P: InterceptingPlugin & MigratingPlugin>(
        _ plugin: P.Type, for host: UnsafeRawPointer?
    ) -> UnsafeMutableRawPointer? {
        unsafe accepts(host) ? Unmanaged.passRetained(PluginExports(plugin)).toOpaque() : nil
    }

    /// Returns the exports of a plugin type, for a host or a test that has it linked in.
    ///
    /// For a generic caller, which knows the type only as a `Plugin`, this looks up the kind of plugin, so that its interceptor
    /// and its migration are included. Where the type is known, the compiler chooses one of the forms below and compiles
    /// everything for that type. `open` never looks it up: the cost grows with every image in the process.
    @inlinable
    public static func exports<P: Plugin>(of plugin: P.Type) -> PluginExports {
        exports(ofAny: plugin) ?? PluginExports(plugin)
    }

    /// The same for a plugin that decides about actions.
    @inlinable
    public static func exports<P: InterceptingPlugin>(of plugin: P.Type) -> PluginExports {
        PluginExports(plugin)
    }

    /// The same for a plugin that reads older forms of its state.
    @inlinable
    public static func exports<P: MigratingPlugin>(of plugin: P.Type) -> PluginExports {
        PluginExports(plugin)
    }

    /// The same for a plugin that does both.
    @inlinable
    public static func exports<P: InterceptingPlugin & MigratingPlugin>(of plugin: P.Type) -> PluginExports {
        PluginExports(plugin)
    }

    /// Returns the exports of a plugin that is more than a `Plugin`; nil for one that is not.
    @usableFromInline
    static func exports(ofAny plugin: any Plugin.Type) -> PluginExports? {
        func both<P: InterceptingPlugin & MigratingPlugin>(_ plugin: P.Type) -> PluginExports {
            PluginExports(plugin)
        }
        func intercepting<P: InterceptingPlugin>(_ plugin: P.Type) -> PluginExports { PluginExports(plugin) }
        func migrating<P: MigratingPlugin>(_ plugin: P.Type) -> PluginExports { PluginExports(plugin) }
        if let plugin = plugin as? any (InterceptingPlugin & MigratingPlugin).Type { return both(plugin) }
        if let plugin = plugin as? any InterceptingPlugin.Type { return intercepting(plugin) }
        return (plugin as? any MigratingPlugin.Type).map { migrating($0) }
    }

    /// Returns whether the host uses this SDK's contract and shares this copy of the SDK; tells it why if not.
    @usableFromInline
    static func accepts(_ host: UnsafeRawPointer?) -> Bool {
        guard let table = unsafe host?.assumingMemoryBound(to: gatehouse_host_v1.self).pointee else {
            return false
        }
        let reason: String
        if unsafe table.size < MemoryLayout<gatehouse_host_v1>.size || table.abi != abi {
            reason = "the host speaks ABI \(unsafe table.abi), this plugin was built for \(abi); rebuild it"
        } else if unsafe table.sdk_identity != sdkIdentity {
            reason =
                "it carries its own copy of the Gatehouse SDK; link the SDK as the dynamic library libGatehouseSDK.so"
        } else {
            return true
        }
        unsafe reason.withCString { unsafe table.refuse?(table.refuse_context, $0) }
        return false
    }
}
