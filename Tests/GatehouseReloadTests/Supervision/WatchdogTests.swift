// SPDX-License-Identifier: Apache-2.0

import GatehouseRuntimeTesting
import GatehouseSDK
import Testing

@testable import GatehouseReload
@testable import GatehouseRuntime

/// What is said of calls that do not come back.
@Suite(.timeLimit(.minutes(10))) struct WatchdogTests {
    @Test func `a call that does not come back is told once, and that it has come back`() throws {
        let flightRecorder = try FlightRecorderPair()
        _ = flightRecorder.own.enter("a", plugin: "a", digest: nil)
        let progress = RunProgress(in: flightRecorder.own)
        var watchdog = Watchdog(limit: .seconds(10))
        let start = ContinuousClock.now
        func look(_ seconds: Int) -> [Watchdog.Notice] {
            watchdog.look(at: flightRecorder.seen, now: start + .seconds(seconds))
        }
        #expect(look(0) == [])
        #expect(look(100) == [])
        FlightRecorderPair.enter(progress, 0, .reduce)
        #expect(look(101) == [])
        #expect(look(110) == [])
        let call = try #require(flightRecorder.seen.calls.first)
        let activity = try #require(flightRecorder.seen.activity)
        #expect(look(111) == [.stuck(call, activity, .seconds(10))])
        #expect(look(200) == [])
        FlightRecorderPair.enter(progress, 0, .handle)
        #expect(look(201) == [.over(call, .seconds(100))])
        #expect(look(210) == [])
        progress.begin(2, "next", from: .here())
        #expect(look(212) == [])
        progress.leave()
        #expect(look(300) == [])
    }

    @Test func `each partition is watched, whatever the others do`() throws {
        let flightRecorder = try FlightRecorderPair()
        _ = flightRecorder.own.enter("a", plugin: "a", digest: nil, isInPartition: true)
        let (host, one) = (
            RunProgress(in: flightRecorder.own), RunProgress(in: flightRecorder.own, partition: 1)
        )
        let two = RunProgress(in: flightRecorder.own, partition: 2)
        var watchdog = Watchdog(limit: .seconds(10))
        let start = ContinuousClock.now
        func look(_ seconds: Int) -> [String] {
            watchdog.look(at: flightRecorder.seen, now: start + .seconds(seconds)).map {
                switch $0 {
                case .stuck(_, let account, let time): "\(account.sentence) since \(time)"
                case .over(let call, let time): "over in \(call.partition ?? -1) after \(time)"
                }
            }
        }
        FlightRecorderPair.enter(one, 0, .start)
        #expect(look(0) == [])
        FlightRecorderPair.enter(two, 0, .stopping)
        for second in 1...9 {
            FlightRecorderPair.enter(host, 0, second.isMultiple(of: 2) ? .handle : .reduce)
            #expect(look(second) == [])
        }
        host.leave()
        #expect(look(10) == ["the plugin a in partition 1 is at its start since 10.0 seconds"])
        one.leave()
        #expect(
            look(11) == [
                "over in 1 after 11.0 seconds",
                "the plugin a in partition 2 is in its work at the end of the run since 10.0 seconds",
            ])
    }

    @Test func `a partition that has the record of another is not in its call`() throws {
        let flightRecorder = try FlightRecorderPair()
        _ = flightRecorder.own.enter("a", plugin: "a", digest: nil, isInPartition: true)
        var watchdog = Watchdog(limit: .seconds(10))
        let start = ContinuousClock.now
        for number in 1...20 {
            let progress = RunProgress(in: flightRecorder.own, partition: number)
            FlightRecorderPair.enter(progress, 0, .start)
            #expect(watchdog.look(at: flightRecorder.seen, now: start + .seconds(number)) == [])
        }
    }

    @Test func `a call that is made again is another one, and is told of again`() throws {
        let flightRecorder = try FlightRecorderPair()
        _ = flightRecorder.own.enter("a", plugin: "a", digest: nil)
        let progress = RunProgress(in: flightRecorder.own)
        var watchdog = Watchdog(limit: .seconds(10))
        let start = ContinuousClock.now
        func look(_ seconds: Int) -> [String] {
            watchdog.look(at: flightRecorder.seen, now: start + .seconds(seconds)).map {
                switch $0 {
                case .stuck(_, _, let time): "stuck for \(time)"
                case .over(_, let time): "over after \(time)"
                }
            }
        }
        for round in [0, 100] {
            FlightRecorderPair.enter(progress, 0, .reduce)
            #expect(look(round) == [])
            #expect(look(round + 9) == [])
            #expect(look(round + 10) == ["stuck for 10.0 seconds"])
            progress.leave()
            #expect(look(round + 20) == ["over after 20.0 seconds"])
            #expect(look(round + 30) == [])
        }
    }
}
