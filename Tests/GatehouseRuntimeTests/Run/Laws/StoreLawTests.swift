// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

/// The store of a host orders everything as the core's `Store` does.
@Suite(.timeLimit(.minutes(10))) struct StoreLawTests {
    /// A number of the environment, or its default.
    private static func number(_ name: String, or default: UInt64) -> UInt64 {
        guard let text = unsafe getenv(name) else { return `default` }
        return UInt64(unsafe String(cString: text)) ?? `default`
    }

    @Test func `a chain logs the same in a host as in the core's store`() throws {
        let first = Self.number("SEED", or: 1)
        let count = Self.number("CHAINS", or: 300)
        var cuts = 0
        var entries = 0
        for seed in first..<first + count {
            let chain = LawChain(seed: seed)
            let core = LawCore.run(chain)
            let host = try LawHost.run(chain)
            cuts += core.count { $0.hasPrefix("cut ") }
            entries += core.count
            guard core != host else { continue }
            Issue.record("seed \(seed)\n\(try chain.configuration())\n\(Self.aligned(core, host))")
            return
        }
        // Chains that do nothing, or are never cut, would show nothing.
        #expect(entries > count * 20)
        #expect(count < 100 || cuts > count / 20)
    }

    @Test func `observers hear of a change before an interceptor's next returns`() throws {
        var chain = LawChain(seed: 1)
        chain.members = [
            LawChain.Member(
                settings: LawPlugin.Settings(id: "p0", rules: [LawPlugin.Rule(name: "a", writes: true)]),
                intercepts: true, input: ["x": "a"], output: ["a": "x"], gate: .still(.active))
        ]
        chain.inputs = [LawChain.Word(name: "x", number: 1)]
        #expect(
            try LawHost.run(chain) == [
                "p0 starts seeing 0 off", "p0 has started", "p0 intercepts a(1) seeing 0 off: pass",
                "action x 1", "p0 handles a(1) seeing 0 off", "p0 reduces a(1) from 0 off", "observes [2 on]",
                "p0 is through with a(1) seeing 2 on", "p0 gives effects for a(1) seeing 2 on",
                "p0 answers a(1) seeing 2 on", "ends with [2 on]",
            ])
    }

    /// Both logs side by side, up to a few lines after the first difference.
    private static func aligned(_ core: [String], _ host: [String]) -> String {
        let same = zip(core, host).prefix { $0 == $1 }.count
        return (0..<min(max(core.count, host.count), same + 12)).map { index in
            let left = index < core.count ? core[index] : "(end)"
            let right = index < host.count ? host[index] : "(end)"
            return left == right ? "  \(left)" : "! core: \(left)\n! host: \(right)"
        }.joined(separator: "\n")
    }
}
