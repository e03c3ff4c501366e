// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import SeededTesting
import Testing

/// Upgrades and downgrades while four writers write, each over one connection from the first to the last action.
///
/// `GATEHOUSE_UPGRADES` sets how many there are, `GATEHOUSE_ACTIONS` how many actions each writer sends, `GATEHOUSE_OTHER_PROGRAM` the path of
/// another build to go to and back, and `GATEHOUSE_SEED` what decides about the moments.
@Suite(.timeLimit(.minutes(120))) struct UpgradeTortureTests {
    /// A number in the environment.
    static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// A text in the environment.
    static func text(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    @Test(arguments: ["host", "worker"])
    func `nothing is lost, doubled or reordered, and no connection ends, whatever program goes on`(
        placement: String
    )
        throws
    {
        let upgrades = Self.number("GATEHOUSE_UPGRADES") ?? 6
        let last = Self.number("GATEHOUSE_ACTIONS") ?? 2_000
        let seed = UInt64(Self.number("GATEHOUSE_SEED") ?? Int(getpid()))
        let programs = [BuiltProducts.program, Self.text("GATEHOUSE_OTHER_PROGRAM") ?? BuiltProducts.program]
        var generator = SeededGenerator(seed: seed)
        let host = try UpgradedHost(placement: placement)
        let path = host.scene.folder("in.sock")
        let writers = (0..<4).map { NumberingWriter("w\($0)", namingLines: $0 < 2) }
        let threads = try writers.map { writer in
            let seed = generator.next()
            return try TestWriter { writer.write(to: path, upTo: last, seed: seed) }
        }
        var pauses: [Double] = []
        for number in 0..<upgrades {
            let outcome = try host.ctl("upgrade", "--json", programs[(number + 1) % 2])
            #expect(
                outcome.exitCode == 0,
                "seed \(seed), upgrade \(number): \(outcome.errors)\(host.child.errorsSoFar)")
            pauses.append(try #require(JSONText.parse(outcome.output)["pause"]?.doubleValue))
            // Between two that succeed, one that fails in some phase.
            let failing = try #require(FailingProgram.allCases.randomElement(using: &generator))
            _ = try host.ctl("upgrade", try failing.write(into: host.scene.folder))
        }
        for thread in threads { thread.join() }
        let (state, _) = try host.finish()
        for writer in writers {
            let (account, page) = (writer.account, try LedgerPage(of: writer.name, in: state))
            let place: Comment = "seed \(seed), \(writer.name)"
            // Another connection would have begun another run.
            #expect(account.acknowledged == [1...last], place)
            #expect(account.oddities == [], place)
            #expect(page.entered == [1...last], place)
            #expect(page.answered == [1...last], place)
            #expect(page.faults == [], place)
        }
        let longest = Int((pauses.max() ?? 0) * 1_000)
        print(
            "\(upgrades) upgrades in a \(placement), \(4 * last) actions: inputs waited at most \(longest) ms"
        )
    }
}
