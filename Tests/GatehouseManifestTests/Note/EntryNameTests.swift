// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

@Suite(.timeLimit(.minutes(10))) struct EntryNameTests {
    @Test(arguments: [
        ("GreeterPlugin", "gatehouse_plugin_v1_GreeterPlugin"),
        ("my-plugin", "gatehouse_plugin_v1_my_plugin"),
        ("a b.c", "gatehouse_plugin_v1_a_b_c"),
    ])
    func `a module gives a name that C accepts`(module: String, symbol: String) {
        #expect(EntryName(module: module).symbol == symbol)
        #expect(EntryName(symbol: symbol)?.description == symbol)
    }

    @Test(arguments: ["", "main", "gatehouse_plugin_v1_", "gatehouse_plugin_v2_A", "gatehouse_plugin_v1_a-b"])
    func `a symbol that is no entry is refused`(symbol: String) {
        #expect(EntryName(symbol: symbol) == nil)
    }
}
