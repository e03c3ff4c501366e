// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// The names of what an action starts.
@Suite struct EffectKeysTests {
    @Test func `outside of an action nothing has a name, and everything is begun for the first time`() {
        let keys = EffectKeys()
        #expect(keys.key(for: "a") == nil)
        #expect(keys.attempt == 1)
    }

    @Test func `the host gives names by instance, but for what has one from before`() {
        let keys = EffectKeys()
        keys.settle { "key of \($0)" }
        #expect(keys.key(for: "a") == "key of a")
        keys.begin(as: EffectKeys.Name(key: "old", attempt: 3)) {
            #expect(keys.key(for: "a") == "old" && keys.attempt == 3)
            keys.begin(as: EffectKeys.Name(key: nil)) {
                #expect(keys.key(for: "a") == nil && keys.attempt == 1)
            }
            #expect(keys.key(for: "b") == "old" && keys.attempt == 3)
        }
        #expect(keys.key(for: "b") == "key of b" && keys.attempt == 1)
    }
}
