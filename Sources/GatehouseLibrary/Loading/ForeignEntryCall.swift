// SPDX-License-Identifier: Apache-2.0

private import CGatehouse

/// Calls the entry of a plugin that is written in another language.
enum ForeignEntryCall {
    /// Calls an entry and checks the functions that it returns.
    ///
    /// ## Safety
    /// `entry` is the address of a function as `gatehouse_foreign.h` declares `GATEHOUSE_ENTRY`, in an image whose note says so.
    static func plugin(from entry: UnsafeMutableRawPointer) throws(LoadingError) -> ForeignPlugin {
        typealias Entry =
            @convention(c) (UnsafePointer<gatehouse_foreign_host_v1>?) -> UnsafePointer<
                gatehouse_foreign_plugin_v1
            >?
        let call = unsafe unsafeBitCast(entry, to: Entry.self)
        let (table, reason) = unsafe ForeignRefusals.during { unsafe call(ForeignHostTable.address) }
        guard let table = unsafe table else {
            throw .entry(reason: reason ?? "it returned nothing and gave no reason")
        }
        return unsafe try ForeignPlugin(copying: UnsafeRawPointer(table))
    }
}
