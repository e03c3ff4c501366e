// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// What a plugin says about itself through its context.
@Suite(.timeLimit(.minutes(10))) struct PluginStatusTests {
    private let status = PluginStatus()

    private var context: PluginContext<NoSettings> {
        PluginContext(
            settings: NoSettings(),
            services: HostServices(
                instance: "test", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil, status: status))
    }

    /// How often something was timed; nil when it never was, or took less than nothing.
    private func count(_ name: String) -> Int? {
        guard case .time(let count, let total)? = status.numbers[name], total >= .zero else { return nil }
        return count
    }

    @Test func `what is timed gives its result, and is counted`() {
        #expect(context.time("sum") { 1 + 1 } == 2)
        #expect(context.time("sum") { 2 + 2 } == 4)
        #expect(count("sum") == 2)
    }

    @Test func `what throws is counted too, and throws on`() {
        #expect(throws: CancellationError.self) { try context.time("save") { throw CancellationError() } }
        #expect(count("save") == 1)
    }

    @Test func `what is suspended is counted when it is done`() async {
        let answer = await context.time("wait") {
            await Task.yield()
            return 7
        }
        #expect(answer == 7)
        #expect(count("wait") == 1)
    }

    @Test func `a rule is measured while the host times the action in hand, and runs in any case`() {
        var names = 0
        func name() -> String {
            names += 1
            return "/rules/0"
        }
        #expect(context.rule(name()) { 1 } == 1)
        #expect(names == 0)
        #expect(status.rules.isEmpty)
        status.isTiming = true
        #expect(context.rule(name()) { 2 } == 2)
        #expect(throws: CancellationError.self) { try context.rule(name()) { throw CancellationError() } }
        status.isTiming = false
        #expect(names == 2)
        #expect(status.rules.keys.sorted() == ["/rules/0"])
        guard case .time(2, let total)? = status.rules["/rules/0"] else {
            Issue.record("the rule was not timed twice")
            return
        }
        #expect(total > .zero)
        #expect(status.numbers.isEmpty)
    }

    @Test func `rules beyond 32 are measured together, and long names are cut`() {
        status.isTiming = true
        for number in 0..<40 { context.rule("/rules/\(number)") {} }
        context.rule("/rules/3") {}
        #expect(status.rules.count == 32)
        guard case .time(9, _)? = status.rules["others"], case .time(2, _)? = status.rules["/rules/3"] else {
            Issue.record("found \(status.rules)")
            return
        }
        let other = PluginStatus()
        other.isTiming = true
        PluginStatus.Rule(status: other)(String(repeating: "x", count: 65)) {}
        #expect(other.rules.keys.first?.utf8.count == 64)
    }

    @Test func `durations that were measured elsewhere are added up`() {
        context.time("save", .milliseconds(1_500))
        context.time("save", .milliseconds(500))
        #expect(status.numbers == ["save": .time(count: 2, total: .seconds(2))])
    }

    @Test func `an action that was not done is counted, and told by its local name`() {
        enum Action: PluginAction { case send(text: String) }
        let notices = Notices()
        let services = HostServices(
            instance: "test", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil,
            status: PluginStatus { notices.add($0) })
        let context = PluginContext(settings: NoSettings(), services: services)
        context.failed(Action.send(text: "hello"), "the server does not answer")
        #expect(services.status.failures == 1)
        #expect(
            notices.all == [
                .failed(action: "send", payload: ["text": "hello"], reason: "the server does not answer")
            ])
    }

    @Test func `a health is told when it changes, and only then`() {
        let notices = Notices()
        let services = HostServices(
            instance: "test", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil,
            status: PluginStatus { notices.add($0) })
        let context = PluginContext(settings: NoSettings(), services: services)
        for health in [.ok, .failing("a"), .failing("a"), .failing("b"), .ok, .ok] as [PluginHealth] {
            context.health(health)
            #expect(services.status.health == health)
        }
        #expect(notices.all == [.health(.failing("a")), .health(.failing("b")), .health(.ok)])
    }

    @Test func `a name has 1 to 64 letters, digits and _, and any other is refused once`() {
        let notices = Notices()
        let status = PluginStatus { notices.add($0) }
        let good = ["a", "z", "A", "Z", "0", "9", "_", String(repeating: "x", count: 64)]
        for name in good { PluginStatus.Count(status: status)(name, by: 1) }
        #expect(notices.all == [])
        #expect(Set(status.numbers.keys) == Set(good))
        let bad = ["", "`", "{", "@", "[", "/", ":", "-", "é", String(repeating: "x", count: 65)]
        for name in bad + bad { PluginStatus.Count(status: status)(name, by: 1) }
        let reason = "expected a name of 1 to 64 letters, digits and _; rename it"
        #expect(notices.all == bad.map { .refused(name: String($0.prefix(64)), reason: reason) })
        #expect(Set(status.numbers.keys) == Set(good))
    }

    @Test func `the sixty-fifth name is refused, and those before go on`() {
        let notices = Notices()
        let status = PluginStatus { notices.add($0) }
        for number in 1...65 { PluginStatus.Count(status: status)("n\(number)", by: 1) }
        #expect(
            notices.all == [
                .refused(name: "n65", reason: "expected at most 64 names, found one more; use fewer")
            ])
        PluginStatus.Count(status: status)("n64", by: 2)
        #expect(status.numbers["n64"] == .count(3))
        #expect(status.numbers.count == 64)
    }

    /// The reasons of what was refused by a status with these calls, by name.
    private func refusals(_ calls: (PluginContext<NoSettings>) -> Void) -> [String] {
        let notices = Notices()
        let services = HostServices(
            instance: "test", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil,
            status: PluginStatus { notices.add($0) })
        calls(PluginContext(settings: NoSettings(), services: services))
        return notices.all.map {
            if case .refused(let name, let reason) = $0 { "\(name): \(reason)" } else { "\($0)" }
        }
    }

    @Test func `a count grows by one unless told, and stays where it would be too large`() {
        context.count("n")
        context.count("n")
        #expect(status.numbers == ["n": .count(2)])
        context.count("n", by: 0)
        context.count("n", by: 5)
        #expect(status.numbers == ["n": .count(7)])
        context.count("n", by: .max)
        #expect(status.numbers == ["n": .count(.max)])
        context.count("zero", by: 0)
        #expect(status.numbers["zero"] == .count(0))
        context.gauge("g", 2)
        context.gauge("g", -1.5)
        context.time("t", .zero)
        #expect(status.numbers["g"] == .gauge(-1.5))
        #expect(status.numbers["t"] == .time(count: 1, total: .zero))
    }

    @Test func `a number that is none, or of another kind than before, is refused with the reason`() {
        let told = refusals { context in
            context.count("a", by: -1)
            context.gauge("b", .infinity)
            context.time("c", .seconds(-1))
            context.gauge("d", 1)
            context.count("d")
            context.count("e")
            context.time("e", .seconds(1))
            context.time("f", .seconds(1))
            context.gauge("f", 2)
            #expect(context.services.status.numbers.keys.sorted() == ["d", "e", "f"])
            #expect(context.services.status.numbers["d"] == .gauge(1))
        }
        #expect(
            told == [
                "a: expected a count that grows, found -1; make it a gauge",
                "b: expected a number that JSON can hold, found inf",
                "c: expected a time of 0 or more, found -1.0 seconds",
                "d: expected a gauge, as before, found a count; give it another name",
                "e: expected a count, as before, found a time; give it another name",
                "f: expected a time, as before, found a gauge; give it another name",
            ])
    }

    @Test func `sixty-four names are refused aloud, and the others in silence`() {
        let told = refusals { context in
            for number in 0..<70 { context.count("-\(number)") }
            context.count("good")
            #expect(context.services.status.numbers == ["good": .count(1)])
        }
        #expect(
            told
                == (0..<64).map {
                    "-\($0): expected a name of 1 to 64 letters, digits and _; rename it"
                })
    }

    @Test func `a reason has five hundred characters, and what is beyond is cut`() {
        enum Action: PluginAction { case send }
        let (full, cut) = (String(repeating: "x", count: 500), String(repeating: "x", count: 501))
        let notices = Notices()
        let status = PluginStatus { notices.add($0) }
        #expect(status.failures == 0)
        for reason in [full, cut] {
            PluginStatus.Failed(status: status)(Action.send, reason)
            PluginStatus.Health(status: status)(.failing(reason))
            #expect(status.health == .failing(full))
        }
        #expect(status.failures == 2)
        let failed = PluginStatus.Notice.failed(action: "send", payload: nil, reason: full)
        #expect(notices.all == [failed, .health(.failing(full)), failed])
    }
}
