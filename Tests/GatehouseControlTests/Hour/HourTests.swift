// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

@testable import GatehouseControl

/// The ring of samples of the last hour.
@Suite(.timeLimit(.minutes(10))) struct HourTests {
    /// Where the clock of the samples begins.
    private let start = ContinuousClock.now

    /// A sample so many times ten seconds after the start.
    private func sample(
        _ number: Int, generation: Int = 1, actions: Int = 0, _ instances: [HourSample.Instance] = []
    ) -> HourSample {
        HourSample(
            moment: 1_000_000 + Double(number) * 10, instant: start + .seconds(10 * number),
            generation: generation, actions: actions, memory: 50 << 20, instances: instances)
    }

    @Test func `a sample has what was counted since the one before`() {
        var hour = Hour()
        let eu = HourSample.Instance(
            id: "eu", heard: 7, emitted: 3, failed: 1, timed: 2, stages: .init(reduce: 500))
        hour.take(sample(0, actions: 100, [eu]))
        #expect(hour.count == 0)
        var later = eu
        (later.heard, later.emitted, later.failed, later.timed) = (17, 8, 2, 6)
        later.stages.reduce = 2_500
        hour.take(sample(1, actions: 130, [later]))
        // An instance that a reload has replaced counts from 0.
        hour.take(sample(2, actions: 131, [HourSample.Instance(id: "eu", heard: 4)]))
        // A sample that comes too late adds nothing.
        hour.take(sample(1, actions: 500))
        let value = hour.value(of: nil)
        #expect(value["moments"] == [1_000_010.0, 1_000_020.0])
        #expect(value["seconds"] == [10.0, 10.0])
        #expect(value["actions"] == [30, 1])
        #expect(value["memory"] == [52_428_800, 52_428_800])
        #expect(value["nanoseconds"] == [500, nil])
        #expect(
            value["instances"] == [
                [
                    "id": "eu", "heard": [10, 4], "emitted": [5, 0], "failed": [1, 0],
                    "nanoseconds": [500, nil], "gate": ["active", "active"],
                ]
            ])
    }

    @Test func `the time of an action is the mean of those that were timed, be it one`() {
        var hour = Hour()
        var eu = HourSample.Instance(id: "eu")
        hour.take(sample(0, [eu]))
        for (timed, time) in [(1, 40), (0, 0), (3, 30)] {
            eu.timed += timed
            eu.stages.io += time
            hour.take(sample(hour.count + 1, [eu]))
        }
        #expect(hour.value(of: nil)["nanoseconds"] == [40, nil, 10])
        #expect(hour.value(of: nil)["instances"]?[0]?["nanoseconds"] == [40, nil, 10])
    }

    @Test func `the costs of some minutes are the time in each stage`() {
        var hour = Hour()
        #expect(hour.costs(ofMinutes: 5) == ["seconds": 0.0, "instances": []])
        var eu = HourSample.Instance(id: "eu", stages: .init(handle: 100, reduce: 1_000, io: 10))
        let us = HourSample.Instance(id: "us")
        hour.take(sample(0, [eu, us]))
        for number in 1...12 {
            eu.stages.handle += 100
            eu.stages.reduce += number == 1 ? 5_000 : 0
            hour.take(sample(number, [eu, us]))
        }
        // What the sixth sample tells happened before that minute.
        #expect(
            hour.costs(ofMinutes: 1) == [
                "seconds": 60.0, "instances": [["id": "eu", "handle": 600, "reduce": 0, "io": 0]],
            ])
        #expect(
            hour.costs(ofMinutes: 60) == [
                "seconds": 120.0, "instances": [["id": "eu", "handle": 1_200, "reduce": 5_000, "io": 0]],
            ])
    }

    @Test func `the costs of rules are those of the samples, and a rule that took none is left out`() {
        var hour = Hour()
        var jq = HourSample.Instance(id: "jq", stages: .init(handle: 900), rules: ["/rules/0": 700])
        hour.take(sample(0, [jq]))
        for number in 1...12 {
            jq.stages.handle += 100
            jq.rules["/rules/0", default: 0] += 50
            if number == 2 { jq.rules["/rules/1"] = 30 }
            hour.take(sample(number, [jq]))
        }
        #expect(
            hour.costs(ofMinutes: 1)["instances"] == [
                ["id": "jq", "handle": 600, "reduce": 0, "io": 0, "rules": ["/rules/0": 300]]
            ])
        #expect(
            hour.costs(ofMinutes: 60)["instances"]?[0]?["rules"] == ["/rules/0": 600, "/rules/1": 30])
        // A reload has replaced the instance by one with other rules, whose counters begin anew.
        (jq.stages.handle, jq.rules) = (40, ["/rules/2": 20])
        hour.take(sample(13, [jq]))
        #expect(hour.costs(ofMinutes: 1)["instances"]?[0]?["rules"] == ["/rules/0": 250, "/rules/2": 20])
    }

    @Test func `instances come and go, and are kept for an hour`() {
        var hour = Hour()
        let (eu, us) = (HourSample.Instance(id: "eu", heard: 1), HourSample.Instance(id: "us", heard: 1))
        hour.take(sample(0, [eu]))
        hour.take(sample(1, [eu, us]))
        hour.take(sample(2, [us]))
        hour.take(sample(3, [us, eu]))
        #expect(hour.value(of: ["eu"])["instances"]?[0]?["heard"] == [0, nil, 1])
        #expect(hour.value(of: ["us"])["instances"]?[0]?["heard"] == [1, 0, 0])
        #expect(hour.value(of: [])["instances"] == [])
        for number in 4...362 { hour.take(sample(number, [us])) }
        #expect(hour.ids == ["us", "eu"])
        #expect(hour.value(of: ["us"])["instances"]?[0]?["heard"]?.arrayValue?.count == 360)
        hour.take(sample(363, [us]))
        #expect(hour.ids == ["us"])
    }

    @Test func `reloads, gates, deaths of workers and quarantines leave marks for an hour`() {
        var hour = Hour()
        var eu = HourSample.Instance(id: "eu", deaths: 1)
        hour.take(sample(0, [eu]))
        eu.gate = .bypass
        hour.take(sample(1, generation: 2, [eu]))
        eu.deaths = 3
        eu.isQuarantined = true
        hour.take(sample(2, generation: 2, [eu]))
        eu.isQuarantined = false
        eu.gate = .mixed
        hour.take(sample(3, generation: 2, [eu]))
        #expect(
            hour.value(of: [])["marks"] == [
                ["moment": 1_000_000.0, "event": "start"],
                ["moment": 1_000_010.0, "event": "reload", "generation": 2],
                ["moment": 1_000_010.0, "event": "gate", "gate": "bypass", "id": "eu"],
                ["moment": 1_000_020.0, "event": "death", "count": 2, "id": "eu"],
                ["moment": 1_000_020.0, "event": "quarantine", "id": "eu"],
                ["moment": 1_000_030.0, "event": "gate", "gate": "mixed", "id": "eu"],
                ["moment": 1_000_030.0, "event": "release", "id": "eu"],
            ])
        for number in 4...362 { hour.take(sample(number, generation: 2, [eu])) }
        #expect(hour.value(of: [])["marks"]?.arrayValue?.count == 4)
    }

    @Test func `an instance that is made from other bytes leaves a mark with its version`() throws {
        let versions = try ["1.0.0", "1.0.0", "1.1.0"].map { try #require(SemanticVersion($0)) }
        let digests = ["a", "b", "b"].map { SHA256.digest(Array($0.utf8)) }
        var hour = Hour()
        for (number, build) in zip(versions, digests).enumerated() {
            var eu = HourSample.Instance(id: "eu")
            eu.build = HourSample.Build(version: build.0, digest: build.1)
            hour.take(sample(number, [eu]))
        }
        // Nothing is known of one that has just come.
        hour.take(sample(3, [HourSample.Instance(id: "us")]))
        #expect(
            hour.value(of: [])["marks"] == [
                ["moment": 1_000_000.0, "event": "start"],
                ["moment": 1_000_010.0, "event": "build", "version": "1.0.0", "id": "eu"],
                ["moment": 1_000_020.0, "event": "build", "version": "1.1.0", "id": "eu"],
            ])
    }

    @Test func `an hour of 100 instances takes at most 8 MB, however many there were before`() {
        var hour = Hour()
        for number in 0...400 {
            let instances = (0..<100).map { place in
                HourSample.Instance(id: "\(place)", heard: number, isQuarantined: number % 2 == 0)
            }
            hour.take(sample(number, instances))
        }
        #expect(hour.bytes <= 1_500_000)
        #expect(hour.value(of: [])["marks"]?.arrayValue?.count == 512)
        for number in 401...800 {
            let rules = Dictionary(uniqueKeysWithValues: (0..<32).map { ("/rules/\($0)", number) })
            hour.take(
                sample(number, (0..<100).map { HourSample.Instance(id: "\(number % 7)-\($0)", rules: rules) })
            )
        }
        #expect(hour.bytes <= 8_000_000)
        #expect(hour.ids.count == 356)
    }
}
