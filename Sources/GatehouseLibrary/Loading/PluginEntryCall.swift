// SPDX-License-Identifier: Apache-2.0

private import CGatehouse
internal import GatehouseSDK

/// Calls a plugin's entry.
enum PluginEntryCall {
    /// Receives the reason from the entry.
    private final class Reason {
        /// The reason; nil when the entry gave none.
        var text: String?
    }

    /// Calls an entry and returns its exports.
    ///
    /// ## Safety
    /// `entry` is the address of a function of type `gatehouse_plugin_entry_v1`, in an image whose identity a verdict has
    /// compared with this host's.
    static func exports(from entry: UnsafeMutableRawPointer) throws(LoadingError) -> PluginExports {
        let call = unsafe unsafeBitCast(entry, to: gatehouse_plugin_entry_v1.self)
        let reason = Reason()
        var host = unsafe gatehouse_host_v1(
            size: UInt32(MemoryLayout<gatehouse_host_v1>.size), abi: PluginEntry.abi,
            sdk_identity: PluginEntry.sdkIdentity,
            refuse_context: Unmanaged.passUnretained(reason).toOpaque(),
            refuse: { context, text in
                guard let context = unsafe context, let text = unsafe text else { return }
                unsafe Unmanaged<Reason>.fromOpaque(context).takeUnretainedValue().text = String(
                    cString: text)
            })
        guard let exports = unsafe call(&host) else {
            throw .entry(reason: reason.text ?? "it returned nothing and gave no reason")
        }
        return unsafe Unmanaged<PluginExports>.fromOpaque(exports).takeRetainedValue()
    }
}
