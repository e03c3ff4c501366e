// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct SwiftNameTests {
    @Test func `a mangled name is read, and any other is as it is`() {
        #expect(
            SwiftName.readable("$s12GatehouseSDK6PluginMp") == "protocol descriptor for GatehouseSDK.Plugin")
        #expect(SwiftName.readable("malloc") == "malloc")
        #expect(SwiftName.readable("") == "")
    }

    @Test func `a name of more than 200 letters is cut`() {
        let long = String(repeating: "n", count: 200)
        #expect(SwiftName.readable(long) == long)
        #expect(SwiftName.readable(long + "o") == long + "…")
    }

    @Test func `names of the SDK mention one of its modules`() {
        for name in ["$s12GatehouseSDK6PluginMp", "$s4Suas5StoreC", "$sSo9GatehouseX"] {
            #expect(SDKNames.isOne(name))
        }
        for name in ["_12GatehouseSDK", "$s5Other", "malloc", "$s"] { #expect(!SDKNames.isOne(name)) }
    }
}
