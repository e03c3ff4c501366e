// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct NameMapTests {
    @Test(arguments: [
        ("shop/placed", "placed"), ("shop/eu/placed", "eu-placed"), ("shop/eu/sent", "any"),
        ("shop/other", "global-other"), ("shop/", "global-"), ("stock/low", nil), ("host/reload", nil),
    ])
    func `a full name wins, then the longest stem`(name: String, expected: String?) throws {
        let map = try ConfigurationExample.nameMap([
            "shop/*": "global-*", "shop/eu/*": "any", "shop/placed": "placed",
            "shop/eu/placed": "eu-placed",
        ])
        #expect(map.mapped(name) == expected)
    }

    @Test func `the rest of a name is kept byte by byte`() throws {
        let map = try ConfigurationExample.nameMap(["e*": "x*"])
        #expect(map.mapped("e\u{301}").map { Array($0.utf8) } == Array("x\u{301}".utf8))
    }
}
