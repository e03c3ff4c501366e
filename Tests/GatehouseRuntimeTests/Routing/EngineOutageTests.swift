// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import Synchronization
import Testing

@testable import GatehouseRuntime

/// What an operator hears of an engine that fails requests.
struct EngineOutageTests {
    /// The sentences so far.
    private final class Told: Sendable {
        let sentences = Mutex<[String]>([])

        /// Takes the sentences since the last time.
        func take() -> [String] {
            sentences.withLock { sentences in
                defer { sentences = [] }
                return sentences
            }
        }
    }

    private let told = Told()
    private let outage: EngineOutage
    private let start = ContinuousClock.now
    private let lost = ClusterFailure.lost("no answer came in time")

    init() {
        outage = EngineOutage { [told] notice in told.sentences.withLock { $0.append("\(notice)") } }
    }

    /// A moment after the start, in milliseconds.
    private func moment(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    @Test func `what several parts of a member find out at once is told once, and ended by the last of them`()
    {
        let (lease, input) = (outage.part(), outage.part())
        outage.fail(lost, lease, at: moment(0))
        outage.fail(lost, input, at: moment(10))
        outage.fail(lost, lease, at: moment(20))
        #expect(told.take() == ["cluster: \(lost); trying again"])
        outage.succeed(lease, at: moment(100))
        #expect(told.take() == [])
        outage.succeed(input, at: moment(2_000))
        outage.succeed(input, at: moment(2_100))
        #expect(told.take() == ["cluster: the engine answers again after 2 s"])
    }

    @Test func `a lost connection that turns out to be something else is told`() {
        let part = outage.part()
        outage.fail(lost, part, at: moment(0))
        for _ in 0..<2 { outage.fail(.full("OOM"), part, at: moment(10)) }
        for _ in 0..<2 { outage.fail(.denied("no password"), part, at: moment(20)) }
        #expect(
            told.take() == [
                "cluster: \(lost); trying again",
                "cluster: the engine is full, so input waits: OOM; give it more memory",
                "cluster: \(ClusterFailure.denied("no password")); trying again",
            ])
    }

    @Test
    func `short outages in a row are told together, and one that lasts is told when it has lasted a second`()
    {
        let part = outage.part()
        outage.fail(lost, part, at: moment(0))
        outage.succeed(part, at: moment(20))
        #expect(told.take().count == 2)
        for time in [1_000, 2_000, 3_000] {
            outage.fail(lost, part, at: moment(time))
            outage.succeed(part, at: moment(time + 20))
        }
        outage.fail(lost, part, at: moment(5_000))
        outage.fail(lost, part, at: moment(5_999))
        #expect(told.take() == [])
        outage.fail(lost, part, at: moment(6_000))
        outage.fail(lost, part, at: moment(6_500))
        #expect(told.take() == ["cluster: \(lost); trying again"])
        outage.succeed(part, at: moment(7_000))
        #expect(told.take() == ["cluster: the engine answers again after 2 s"])
        outage.succeed(part, at: moment(11_019))
        #expect(told.take() == [])
        outage.succeed(part, at: moment(11_020))
        #expect(
            told.take() == [
                "cluster: the engine has failed 3 times more, each time for less than a second, and answered again; see its log, and the network"
            ])
        // After a calm time the first one counts again.
        outage.fail(lost, part, at: moment(17_000))
        #expect(told.take() == ["cluster: \(lost); trying again"])
    }
}
