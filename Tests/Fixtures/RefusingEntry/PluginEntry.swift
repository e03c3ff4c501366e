// SPDX-License-Identifier: Apache-2.0

import CGatehouse

/// Takes the place of the SDK's type of this name in the generated entry, and refuses every host.
enum PluginEntry {
    /// Tells the host why not, and returns nil.
    static func open<Principal>(
        _ plugin: Principal.Type, for host: UnsafeRawPointer?
    ) -> UnsafeMutableRawPointer? {
        let table = unsafe host?.assumingMemoryBound(to: gatehouse_host_v1.self).pointee
        unsafe "it never works on Fridays".withCString { reason in
            if let table = unsafe table { unsafe table.refuse?(table.refuse_context, reason) }
        }
        return nil
    }
}
