// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import SeededTesting
import Testing

@testable import AggregatePlugin

/// Summaries of random streams beside those of a reference that keeps everything and counts when it is asked.
@Suite(.timeLimit(.minutes(10))) struct AggregateReferenceTests {
    /// One action of a stream.
    private struct Event {
        let time: Double
        let key: String?
        let number: Double?
        let text: String?

        /// The action with these in its payload.
        var action: AnyAction {
            var payload = Members()
            if let key { payload["k"] = .string(key) }
            if let number { payload["v"] = .double(number) }
            if let text { payload["t"] = .string(text) }
            return AnyAction("a", payload: .object(payload))
        }
    }

    /// A stream with common and rare keys, numbers that add up exactly, and times that jump now and then.
    private func stream(_ seed: UInt64, keys: Int, count: Int) -> [Event] {
        var random = SeededGenerator(seed: seed)
        var time = 1_200_000.0
        return (0..<count).map { _ in
            if Int.random(in: 0..<200, using: &random) == 0 {
                time += Double(Int.random(in: 0..<200, using: &random))
            } else {
                time += Double(Int.random(in: 0..<4, using: &random)) / 8
            }
            // The square makes small numbers of keys far more frequent than large ones.
            let place = Double.random(in: 0..<1, using: &random)
            let isWhole = Int.random(in: 0..<20, using: &random) != 0
            return Event(
                time: time, key: isWhole ? "key-\(Int(place * place * Double(keys)))" : nil,
                number: Int.random(in: 0..<10, using: &random) != 0
                    ? Double(Int.random(in: -8_000...80_000, using: &random)) / 8 : nil,
                text: "text-\(Int.random(in: 0..<3_000, using: &random))")
        }
    }

    /// The summaries that the plugin tells, with the clock's ticks or without most of them.
    private func summaries(_ settings: Value, _ events: [Event], hasTicks: Bool) throws -> [Value] {
        let settings = try settings.decode(Aggregate.Settings.self)
        let all = settings.summaries.all
        var time = 0.0
        let reducer = Aggregate.reducer(settings, now: ActionTime { time })
        var state = Aggregate.initialState(settings)
        var told: [Value] = []
        func tick(at moment: Double) {
            time = moment
            _ = reducer.apply(AnyAction(Aggregate.tick), &state)
            told += state.told
        }
        for event in events {
            while hasTicks, let end = state.end(for: all), end > 0, end <= event.time { tick(at: end) }
            time = event.time
            _ = reducer.apply(event.action, &state)
        }
        tick(at: (events.last?.time ?? 0) + 10_000)
        #expect(state.windows.isEmpty)
        #expect(state.lost == 0)
        return told
    }

    /// The windows of a stream in which something happened, in order.
    private func windows(_ events: [Event], seconds: Int, steps: Int) -> [Double] {
        let step = Double(seconds) / Double(steps)
        var ends: Set<Double> = []
        for event in events {
            let first = (event.time / step).rounded(.down) + 1
            for number in 0..<steps { ends.insert((first + Double(number)) * step) }
        }
        return ends.sorted()
    }

    /// Compares what is told of some actions with what they are; `isWhole` says whether all of them must be counted.
    private func compare(_ told: Value?, _ events: [Event], isWhole: Bool, _ comment: Comment) throws {
        let told = try #require(told, comment)
        let count = try #require(told["count"]?.intValue)
        if isWhole {
            #expect(count == events.count, comment)
        } else {
            #expect(count <= events.count && events.count <= count + (told["error"]?.intValue ?? 0), comment)
            if count < events.count { return }
        }
        let numbers = events.compactMap(\.number).sorted()
        #expect(told["values"]?.intValue == numbers.count, comment)
        #expect(told["sum"]?.doubleValue == numbers.reduce(0, +), comment)
        #expect(told["min"]?.doubleValue == numbers.first, comment)
        #expect(told["max"]?.doubleValue == numbers.last, comment)
        for (name, estimate) in told["percentiles"]?.objectValue ?? Members() {
            let part = try #require(Double(name)) / 100
            let exact = numbers[Int((part * Double(numbers.count - 1)).rounded(.down))]
            let found = try #require(estimate.doubleValue)
            #expect(abs(found - exact) <= Sketch.accuracy * abs(exact) + 1e-9, comment)
        }
        let texts = Set(events.compactMap(\.text)).count
        let distinct = try #require(told["distinct"]?.intValue)
        // Four standard errors, and two for small numbers.
        #expect(
            abs(Double(distinct - texts)) <= 4 * DistinctCount.standardError * Double(texts) + 2, comment)
    }

    /// A stream of each seed, with windows side by side or moving on, with ticks or without.
    @Test(arguments: [1 as UInt64, 2, 3], [(60, 1), (60, 6), (7, 1), (10, 5)])
    func `what is told of each window and key is what the reference counts`(
        seed: UInt64, window: (seconds: Int, steps: Int)
    ) throws {
        let (few, many) = (8, 300)
        let keys = seed % 2 == 0 ? few : many
        let events = stream(seed, keys: keys, count: 1_500)
        let limit = 20
        let settings: Value = [
            "summaries": [
                "s": [
                    "when": "a", "by": "/k", "value": "/v", "distinct": "/t",
                    "percentiles": [0, 25, 50, 99, 100],
                    "seconds": .integer(Int64(window.seconds)), "steps": .integer(Int64(window.steps)),
                    "keys": .integer(Int64(limit)),
                ]
            ]
        ]
        let told = try summaries(settings, events, hasTicks: seed % 3 == 0)
        #expect(
            told.compactMap { $0["to"]?.doubleValue }
                == windows(events, seconds: window.seconds, steps: window.steps), "seed \(seed)")
        for summary in told {
            let from = try #require(summary["from"]?.doubleValue)
            let to = try #require(summary["to"]?.doubleValue)
            #expect(to - from == Double(window.seconds))
            let inside = events.filter { $0.time >= from && $0.time < to }
            let comment: Comment = "seed \(seed), window of \(window) that ends at \(to)"
            try compare(summary["total"], inside, isWhole: true, comment)
            let byKey = Dictionary(grouping: inside.filter { $0.key != nil }) { $0.key ?? "" }
            let apart = try #require(summary["keys"]?.objectValue)
            #expect(apart.count <= limit, comment)
            for (key, cell) in apart {
                try compare(cell, try #require(byKey[key], comment), isWhole: byKey.count <= limit, comment)
            }
            // Of more keys than there is room for, the frequent ones are there.
            for (key, found) in byKey where window.steps == 1 && found.count > inside.count / limit {
                #expect(apart[key] != nil, "\(key), \(comment)")
            }
            let counts = apart.reduce(0) { $0 + ($1.value["count"]?.intValue ?? 0) }
            #expect(counts + (summary["other"]?["count"]?.intValue ?? 0) == inside.count, comment)
            // The most frequent come first.
            let order = apart.compactMap { $0.value["count"]?.intValue }
            #expect(order == order.sorted(by: >), comment)
        }
    }

    @Test(arguments: [1 as UInt64, 2, 3])
    func `percentiles of any distribution are within the accuracy`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var sketch = Sketch()
        var halves = (Sketch(), Sketch())
        // Six powers of ten, which the buckets of each sign hold.
        let numbers = (0..<20_000).map { _ -> Double in
            let size = exp(Double.random(in: -2...11, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return 0
            case 1...3: return -min(size, 500)
            default: return min(size, 2_000)
            }
        }
        for (index, number) in numbers.enumerated() {
            sketch.add(number)
            if index % 2 == 0 { halves.0.add(number) } else { halves.1.add(number) }
        }
        halves.0.merge(halves.1)
        #expect(halves.0 == sketch)
        let sorted = numbers.sorted()
        for place in 0...1_000 {
            let part = Double(place) / 1_000
            let exact = sorted[Int((part * Double(sorted.count - 1)).rounded(.down))]
            let found = try #require(sketch.quantile(part))
            #expect(abs(found - exact) <= Sketch.accuracy * abs(exact) * 1.000_001, "seed \(seed), \(part)")
        }
    }

    @Test func `buckets are bounded, and what is joined is the smallest`() throws {
        var sketch = Sketch()
        let numbers = (0..<4_000).map { exp(Double($0) / 100) }
        for number in numbers { sketch.add(number) }
        #expect(sketch.positive.count == Sketch.mostBuckets)
        let high = try #require(sketch.quantile(0.99))
        #expect(abs(high - numbers[3_959]) <= 0.01 * numbers[3_959] * 1.000_001)
    }

    @Test(arguments: [0, 1, 10, 100, 1_000, 3_000, 10_000, 100_000])
    func `a distinct count is within four standard errors, however often each comes`(count: Int) {
        for seed in 1...5 {
            var one = DistinctCount()
            var two = DistinctCount()
            for number in 0..<count {
                one.add("\(seed)-\(number)")
                one.add("\(seed)-\(number / 2)")
                if number % 3 == 0 { two.add("\(seed)-\(number)") }
            }
            let error = abs(Double(one.estimate - count))
            #expect(
                error <= 4 * DistinctCount.standardError * Double(count) + 1, "\(one.estimate) of \(count)")
            let before = one
            one.merge(two)
            #expect(one == before)
        }
    }

    @Test func `a single register that is empty still tells a distinct count`() throws {
        let registers = "0" + String(repeating: "1", count: DistinctCount.registers - 1)
        #expect(try Value.string(registers).decode(DistinctCount.self).estimate == 7_098)
    }
}
