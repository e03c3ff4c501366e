// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Testing

@testable import GatehouseLibrary

@Suite struct SigningPolicyTests {
    /// A key for plugins.
    private func key(_ name: String, _ seed: UInt8, _ plugins: String...) throws -> SigningPolicy.Key {
        SigningPolicy.Key(
            name: name, key: try #require(MinisignKey(TestSigner(seed: seed).publicKey)),
            plugins: try plugins.map { try #require(TypePattern($0)) })
    }

    @Test func `what accepts more is a loosening, in each respect, and what accepts less is none`() throws {
        let old = SigningPolicy(keys: [try key("a", 1, "a-*", "b"), try key("c", 2, "*")], unsigned: .worker)
        func found(_ new: SigningPolicy?) -> [String] { SigningPolicy.loosenings(from: old, to: new) }
        #expect(found(old) == [])
        #expect(found(nil) == ["it is gone"])
        #expect(SigningPolicy.loosenings(from: nil, to: old) == [])
        #expect(found(SigningPolicy(keys: [], unsigned: .refuse)) == [])
        // Another name, fewer plugins: nothing more is accepted.
        #expect(found(SigningPolicy(keys: [try key("z", 1, "a-x*", "a-y")], unsigned: .worker)) == [])
        #expect(
            found(
                SigningPolicy(
                    keys: [
                        try key("a", 1, "a-*", "b*", "c"), try key("d", 3, "d"), try key("c", 2, "*", "e"),
                    ],
                    unsigned: .warn)) == [
                    "the key \"a\" may sign \"b*\", \"c\"", "the key \"d\" is new",
                    "\"unsigned\" is \"warn\", and was \"worker\"",
                ])
        #expect(
            SigningPolicy.loosenings(from: SigningPolicy(), to: SigningPolicy(unsigned: .worker))
                == ["\"unsigned\" is \"worker\", and was \"refuse\""])
    }
}
