// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import SeededTesting
import Testing

/// What reaches the world from a pipeline whose host is killed and reloaded, while the service behind it fails nearly half of the time.
///
/// `GATEHOUSE_WEBHOOKS`, `GATEHOUSE_PIPELINE_KILLS` and `GATEHOUSE_PIPELINE_RELOADS` set how much of it there is, `GATEHOUSE_SEED` what
/// decides about the moments.
@Suite(.timeLimit(.minutes(120))) struct PipelineTortureTests {
    /// A number in the environment.
    private static func number(_ name: String) -> Int? {
        unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) }
    }

    private let webhooks = number("GATEHOUSE_WEBHOOKS") ?? 200
    private let kills = number("GATEHOUSE_PIPELINE_KILLS") ?? 3
    private let reloads = number("GATEHOUSE_PIPELINE_RELOADS") ?? 5
    /// Another one in each run.
    private let seed = UInt64(number("GATEHOUSE_SEED") ?? Int(getpid()))

    @Test func `what was acknowledged is sent, kept and counted, whatever is killed, changed or answered`()
        throws
    {
        var generator = SeededGenerator(seed: seed)
        let service = try FlakyService(seed: generator.next())
        let pipeline = try TorturedPipeline(service: service.url, webhooks: webhooks)
        let place: Comment = "seed \(seed), \(webhooks) webhooks, \(kills) kills, \(reloads) reloads"
        try pipeline.start()
        // The blows in any order, each at some moment while a part of the webhooks comes in.
        let blows = (Array(repeating: true, count: kills) + Array(repeating: false, count: reloads))
            .shuffled(using: &generator)
        for (index, isKill) in blows.enumerated() {
            let numbers = (webhooks * index / blows.count + 1)..<(webhooks * (index + 1) / blows.count + 1)
            try pipeline.deliver(numbers, &generator) { generator in
                if isKill { pipeline.kill() } else { try pipeline.reload(&generator) }
            }
        }
        #expect(service.waitForAll(upTo: webhooks), place)
        try pipeline.waitForCounts()
        let outcome = try pipeline.end()

        let sender = pipeline.sender.account
        #expect(sender.oddities == [], place)
        #expect(sender.refused == 0, place)
        let calls = service.calls
        #expect(calls.keys.sorted() == Array(1...webhooks), place)
        #expect(calls.filter { $0.value.keys.count != 1 }.map { "\($0)" } == [], place)
        #expect(Set(calls.values.flatMap(\.keys)).count == webhooks, place)
        #expect(service.oddities == [], place)

        #expect(try pipeline.letters() == [], place)
        #expect(pipeline.struck == kills, place)
        #expect(TorturedPipeline.reloads(outcome.errors) == reloads, place)
        #expect(outcome.exitCode == 0, "\(place): \(outcome.errors)")
        for word in ["quarantine", "is set aside", "given up", "degraded"] {
            #expect(!outcome.errors.contains(word), "\(place): \(outcome.errors)")
        }
        let archived = try pipeline.archived()
        #expect(archived.others == [], place)
        #expect(Set(archived.orders).sorted() == Array(1...webhooks), place)
        #expect(try pipeline.documents() == Array(1...webhooks), place)
        let state = try JSONText.parse(outcome.output)
        #expect(state["count"]?["count"]?.intValue == webhooks, place)
        #expect(state["tally"]?["count"]?.intValue == webhooks, place)
        print(
            "pipeline: \(place): \(calls.values.reduce(0) { $0 + $1.count }) calls, \(archived.orders.count) lines archived, "
                + "\(sender.again) deliveries again, \(pipeline.struck) kills met a host, "
                + "\(TorturedPipeline.reloads(outcome.errors)) reloads"
        )
    }
}
