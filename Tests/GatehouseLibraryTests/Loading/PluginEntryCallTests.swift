// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import GatehouseSDK
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct PluginEntryCallTests {
    /// Calls a function as if it were a plugin's entry.
    private func call(_ entry: gatehouse_plugin_entry_v1) throws(LoadingError) -> PluginExports {
        unsafe try PluginEntryCall.exports(from: unsafeBitCast(entry, to: UnsafeMutableRawPointer.self))
    }

    @Test func `the reason of an entry that refuses is shown`() {
        let refusing: gatehouse_plugin_entry_v1 = { host in
            guard let table = unsafe host?.pointee else { return nil }
            unsafe "no licence".withCString { unsafe table.refuse?(table.refuse_context, $0) }
            return nil
        }
        let error = #expect(throws: LoadingError.self) { unsafe try call(refusing) }
        #expect(error?.description == "its entry refused: no licence")
    }

    @Test func `an entry that gives no reason is refused too`() {
        let silent: gatehouse_plugin_entry_v1 = { _ in nil }
        let error = #expect(throws: LoadingError.self) { unsafe try call(silent) }
        #expect(error?.description == "its entry refused: it returned nothing and gave no reason")
    }

    @Test func `the entry is told the size of the table, the ABI number and the SDK's address`() throws {
        let checking: gatehouse_plugin_entry_v1 = { host in
            guard let table = unsafe host?.pointee, unsafe table.size == MemoryLayout<gatehouse_host_v1>.size,
                unsafe table.abi == PluginEntry.abi, unsafe table.sdk_identity == PluginEntry.sdkIdentity
            else { return nil }
            return unsafe PluginEntry.open(Ticker.self, for: host)
        }
        let exports = unsafe try call(checking)
        #expect(exports.unknownNames(in: ["tick", "tock"]) == ["tock"])
    }
}

/// A plugin that is linked into the tests.
private struct Ticker: Plugin {
    enum Action: PluginAction { case tick }
    static func middleware() -> Reader { .doNothing() }
}
