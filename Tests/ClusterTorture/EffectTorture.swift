// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHostTesting
internal import GatehouseSDK
internal import Glibc

/// Actions whose effects ask a service that holds its answers back, while their partitions change hands: each request must arrive,
/// under one key however often it does, and each effect that asks for it must be reported as interrupted.
package final class EffectTorture {
    /// A way in which partitions change hands.
    package enum Change: String, CaseIterable, Sendable {
        /// A member is killed.
        case kill
        /// A member is paused until its lease is over, and continues.
        case pause
        /// A member ends in good order.
        case stop
        /// A member is drained.
        case drain
        /// A further member joins.
        case join
        /// All members end, and the number of partitions changes.
        case resize
        /// All members reload with another configuration.
        case reload
    }

    /// The number of actions that lead to a request.
    private let requests: Int
    /// The number of actions whose effect never ends, and is to be reported.
    private let errands: Int
    /// The cluster of the first number of partitions.
    private let scene: ClusterScene
    /// The cluster of the other number; nil before a resize.
    private var next: ClusterScene?
    private let service: HeldService

    /// Violations of the promises.
    private var faults: [String] = []

    /// The number of partitions, and after a resize.
    private static let partitions = (before: 8, after: 11)
    /// The most requests of a partition under way.
    private static let concurrency = 2

    /// Creates a cluster without members.
    package init(requests: Int = 200, errands: Int = 40) throws {
        (self.requests, self.errands) = (requests, errands)
        service = try HeldService()
        scene = ClusterScene(try RedisServer(), Self.terms(Self.partitions.before, service))
    }

    /// What all members share.
    private static func terms(_ partitions: Int, _ service: HeldService) -> ClusterScene.Terms {
        var terms = ClusterScene.Terms()
        terms.partitions = partitions
        terms.libraries = ["HTTPClientPlugin", "CourierPlugin", "CounterPlugin"]
        terms.plugins = """
            , { "id": "mail", "library": "libHTTPClientPlugin.so",
                "settings": { "url": "\(service.server.url("/"))", "concurrency": \(concurrency), "queue": 9000, "timeout": 600 },
                "lift": { "input": { "order/placed": "send" } } },
              { "id": "courier", "library": "libCourierPlugin.so" },
              { "id": "told", "library": "libCounterPlugin.so",
                "lift": { "input": { "host/effect/interrupted": "increment" } } }
            """
        return terms
    }

    /// Creates a member of a scene whose actions have their keys in their ids.
    private func member(_ name: String, in scene: ClusterScene) throws -> SceneMember {
        try scene.member(name) {
            $0.replacing(
                #""key": {"#,
                with:
                    #""split": { "passbook": "/pages", "told": { "sums": "/count" } }, "key": { "order/*": "/id", "courier/*": "/id", "#
            )
        }
    }

    /// Starts a member, whose effects have a moment to finish.
    private func start(_ member: SceneMember) throws {
        try member.startListening("--print", "actions", "--grace", "0.2")
    }

    /// Makes partitions change hands in the middle of everything; returns violations of the promises.
    package func run(_ change: Change) throws -> [String] {
        let (first, second) = (try member("a", in: scene), try member("b", in: scene))
        try start(first)
        try start(second)
        try scene.waitUntilSettled([first, second])
        try write(to: first)
        // From here on all effects are recorded, and no request under way will end.
        let survey = try scene.waitUntilDone()
        let held = min(requests, Self.partitions.before * Self.concurrency)
        _ = try scene.wait("\(held) requests are under way") { _ in service.server.requests.count >= held }
        try happen(change, first, second)
        service.release()
        let ids = Set((0..<requests).map { "m\($0)" })
        let scene = next ?? scene
        _ = try scene.wait("all requests arrive") { _ in Set(arrivals.keys) == ids }
        let present = scene.members.filter(\.isRunning)
        judge(change, first, survey)
        try end(present, after: change)
        return faults
    }

    /// Writes all actions to a member, which acknowledges them.
    private func write(to member: SceneMember) throws {
        let lines =
            (0..<requests).map { #"{"type":"order/placed","payload":{"id":"m\#($0)"}}"# }
            + (0..<errands).map {
                #"{"type":"courier/send","payload":{"id":"c\#($0)","parts":1,"way":"telling"}}"#
            }
        let writer = try LocalConnection(member.socket)
        guard writer.write(lines.map { $0 + "\n" }.joined()) else {
            throw ClusterScene.TimedOut(description: "the member hangs up")
        }
        var answer = ""
        while answer != #"{"ok":\#(lines.count)}"# {
            guard let next = writer.readLine() else {
                throw ClusterScene.TimedOut(description: "the last answer was \(answer)")
            }
            answer = next
        }
    }

    /// The keys under which each request has arrived, by the id of its action.
    private var arrivals: [String: [String]] {
        Dictionary(
            grouping: service.server.requests.map { request in
                (
                    id: (try? JSONText.parse(request.body))?["id"]?.stringValue ?? request.body,
                    key: request.headers["idempotency-key"] ?? "none"
                )
            }, by: \.id
        ).mapValues { $0.map(\.key) }
    }

    // MARK: - The change

    /// Lets partitions change hands; returns when they have.
    private func happen(_ change: Change, _ first: SceneMember, _ second: SceneMember) throws {
        switch change {
        case .kill:
            try first.kill()
            try scene.waitUntilSettled([second])
        case .pause:
            try first.pause()
            try scene.waitUntilSettled([second])
            try first.resume()
        case .stop:
            expectSuccess(try first.stop(), of: first)
            try scene.waitUntilSettled([second])
        case .drain:
            try scene.drain(first)
            try scene.waitUntilSettled([second])
        case .join:
            let third = try member("c", in: scene)
            try start(third)
            try scene.waitUntilSettled([first, second, third])
        case .resize:
            for member in [first, second] { try member.running().signal(SIGTERM) }
            for member in [first, second] { expectSuccess(try member.finish(), of: member) }
            let outcome = try first.call("cluster", "resize", String(Self.partitions.after))
            guard outcome.exitCode == 0 else { throw ClusterScene.TimedOut(description: outcome.errors) }
            let scene = ClusterScene(try scene.redis, Self.terms(Self.partitions.after, service))
            next = scene
            try start(try member("c", in: scene))
        case .reload:
            for member in [first, second] {
                let text = try member.folder.read("plugins.json")
                try member.folder.write(
                    text.replacing(#""timeout": 600"#, with: #""timeout": 500"#), to: "plugins.json")
            }
            let before = try scene.survey().partitions.map(\.title.epoch)
            try scene.requestReload()
            _ = try scene.wait("all partitions have begun again") { survey in
                zip(survey.partitions, before).allSatisfy { $0.title.owner != nil && $0.title.epoch > $1 }
            }
        }
    }

    // MARK: - What must hold

    /// Records a fault if a member has not ended as it should.
    private func expectSuccess(_ outcome: ChildProcess.Outcome, of member: SceneMember) {
        if outcome.exitCode != 0 {
            faults.append("\(member.name) ended with \(outcome.exitCode ?? -1): \(outcome.errors)")
        }
    }

    /// Checks the requests, and what the first member said about those that it left.
    private func judge(_ change: Change, _ first: SceneMember, _ survey: ClusterSurvey) {
        for (id, keys) in arrivals where Set(keys).count > 1 || keys.contains("none") {
            faults.append("\(id) has arrived under the keys \(keys)")
        }
        guard change == .stop || change == .drain else { return }
        let own = (0..<requests).count {
            survey.partitions[PartitionHash.partition(of: "m\($0)", in: Self.partitions.before)].title.owner
                == first.name
        }
        let said = (first.ended.last?.errors ?? first.process?.errorsSoFar ?? "").split(separator: "\n")
        let told = said.compactMap { line -> Int? in
            guard line.hasPrefix("cluster: "), line.contains(" of mail had not finished when ") else {
                return nil
            }
            return Int(line.dropFirst(9).prefix { $0.isNumber })
        }
        if told.reduce(0, +) != own {
            faults.append("\(own) effects were left to the next owner, and the member said: \(said)")
        }
    }

    /// Ends all members, and lets a last one report what has not been reported; checks that nothing is left then.
    private func end(_ present: [SceneMember], after change: Change) throws {
        for member in present { try member.running().signal(SIGTERM) }
        for member in present { expectSuccess(try member.finish(), of: member) }
        let scene = next ?? scene
        let last = try member("z", in: scene)
        try start(last)
        try scene.waitUntilSettled([last])
        try scene.waitUntilDone()
        let members = self.scene.members + (next?.members ?? [])
        let before = printed(by: members, "courier/begun")
        if before.count != errands { faults.append("\(before.count) of \(errands) errands began: \(before)") }
        _ = try last.running().waitForOutput { [self] _ in
            printed(by: members, "host/effect/interrupted").isSuperset(of: before)
        }
        expectSuccess(try last.stop(), of: last)
        let slices = try scene.slices()
        let left = slices.compactMap { $0["effects"] }.map { String(decoding: $0, as: UTF8.self) }
        if left.contains(where: { $0 != "[]" }) { faults.append("effects are left: \(left)") }
        let heard = try slices.map {
            try InstanceSlices(slices: $0).entry(of: "told")?["state"]?["count"]?.intValue ?? 0
        }.reduce(0, +)
        if heard < errands {
            faults.append("a plugin has heard of \(heard) of \(errands) interrupted effects")
        }
        let dead = try scene.survey().dead
        if dead > 0 { faults.append("\(dead) dead letters") }
    }

    /// The keys of effects in the actions of a type that members have printed.
    private func printed(by members: [SceneMember], _ type: String) -> Set<String> {
        let outputs = members.flatMap { member in
            member.ended.map(\.output) + (member.process.map { [$0.outputSoFar] } ?? [])
        }
        return Set(
            outputs.joined(separator: "\n").split(separator: "\n").compactMap { line in
                guard line.contains(type), let action = try? JSONText.parse(String(line)),
                    action["type"]?.stringValue == type
                else { return nil }
                return action["payload"]?["key"]?.stringValue
            })
    }
}
