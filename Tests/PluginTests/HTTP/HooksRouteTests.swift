// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import HTTPPlugin

/// Webhooks on their way to the host.
@Suite(.timeLimit(.minutes(10))) struct HooksRouteTests {
    @Test func `a delivery becomes an action with the body as it came`() async throws {
        let scene = try RouterScene()
        let answer = await scene.deliver("72d3162e", body: "{\"a\": 1.50,\n\"b\":\"é\"}")
        #expect(answer.status == 200)
        #expect(answer.text == #"{"accepted":1}"# + "\n")
        let line =
            #"{"type":"github/push","error":false,"meta":{"hook":"github","id":"github/72d3162e"},"payload":{"a": 1.50,"#
            + "\r" + #""b":"é"}}"#
        #expect(scene.brought.withLock { $0 } == [line])
        #expect(scene.emitted.withLock { $0.count } == 1)
        scene.end()
    }

    @Test func `a delivery that comes again is answered and not dispatched`() async throws {
        let scene = try RouterScene(state: HTTP.State(delivered: ["github/old"]))
        for id in ["one", "one", "two", "old"] {
            #expect(await scene.deliver(id, body: "\"\(id)\"").status == 200)
        }
        #expect(scene.brought.withLock { $0.count } == 2)
        #expect(await scene.deliver("two").text == #"{"accepted":0,"duplicates":1}"# + "\n")
        #expect(
            scene.emitted.withLock { $0 }.map { action in
                switch action {
                case .delivered(_, let id, _): id
                }
            } == ["one", "two"])
        scene.end()
    }

    @Test func `a captured body under an id of its own is refused, told, and known after a reload`()
        async throws
    {
        let scene = try RouterScene()
        #expect(await scene.deliver("one").status == 200)
        var state = HTTP.State()
        let reducer = HTTP.reducer(HTTP.Settings())
        for action in scene.emitted.withLock({ $0 }) { reducer.reduce(action, &state) }
        for round in 1...2 {
            let answer = await scene.deliver("two", event: "delete")
            #expect(answer.status == 409)
            #expect(
                answer.text
                    == #"{"error":"this body has come before under another id, which the signature does not cover; redeliver it under its own id, or set \"sameBody\" of the hook to \"accept\" if its sender repeats bodies"}"#
                    + "\n")
            #expect(await scene.deliver("one").text == #"{"accepted":0,"duplicates":1}"# + "\n")
            #expect(
                scene.told.withLock { $0 }
                    == [String](
                        repeating:
                            "warning: a client sent to the hook github a body that had come before under another id",
                        count: round))
            scene.open(state) { _ in }
        }
        #expect(scene.brought.withLock { $0.count } == 1)
        scene.open { $0.hooks["github"]?.sameBody = .accept }
        for id in ["three", "four"] { #expect(await scene.deliver(id).text == #"{"accepted":1}"# + "\n") }
        scene.end()
    }

    @Test func `of deliveries with one body that come at the same time one is dispatched`() async throws {
        let scene = try RouterScene()
        let statuses = await withTaskGroup(of: UInt32.self) { group in
            for number in 0..<100 { group.addTask { await scene.deliver("\(number)").status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + [UInt32](repeating: 409, count: 99))
        #expect(scene.brought.withLock { $0.count } == 1)
        scene.end()
    }

    @Test func `a state that was kept before bodies were known is read`() throws {
        #expect(try Tape.make(["delivered": ["github/old"]]).root.decode(HTTP.State.self).bodies == nil)
    }

    @Test func `a delivery that was not dispatched may come again`() async throws {
        let scene = try RouterScene()
        scene.receipt.withLock { $0 = .failure(.refused("closed")) }
        #expect(await scene.deliver().status == 503)
        scene.receipt.withLock { $0 = .success(RouterScene.accepted) }
        #expect(await scene.deliver().text == #"{"accepted":1}"# + "\n")
        #expect(scene.emitted.withLock { $0.count } == 1)
        scene.end()
    }

    @Test func `of deliveries with one id that come at the same time one is dispatched`() async throws {
        let scene = try RouterScene()
        let statuses = await withTaskGroup(of: UInt32.self) { group in
            for _ in 0..<100 { group.addTask { await scene.deliver("same").status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [UInt32](repeating: 200, count: 100))
        #expect(scene.brought.withLock { $0.count } == 1)
        scene.end()
    }

    @Test func `what a header alone shows to be wrong is answered before a body comes`() throws {
        let scene = try RouterScene { settings in
            settings.hooks["lab"] = Hook(.gitlab, secretFiles: settings.hooks["github"]?.secretFiles ?? [])
        }
        defer { scene.end() }
        for (path, fields, status) in [
            ("/hooks/nosuchhook", [:], 404), ("/hooks/github", [:], 401),
            ("/hooks/lab", ["x-gitlab-token": "wrong"], 401),
        ] as [(String, [String: String], UInt32)] {
            guard case .answer(let answer) = scene.judge("POST", path, fields) else {
                Issue.record("a body is read for \(path)")
                continue
            }
            #expect(answer.status == status)
        }
        for (path, fields) in [
            ("/hooks/github", ["x-hub-signature-256": "sha256=00"]),
            ("/hooks/lab", ["x-gitlab-token": "hush"]),
        ] {
            guard case .read = scene.judge("POST", path, fields) else {
                Issue.record("no body is read for \(path)")
                continue
            }
        }
    }

    @Test func `a wrong signature, or none, is refused before anything is read, and told once`() async throws
    {
        let scene = try RouterScene()
        for _ in 0..<3 { #expect(await scene.deliver(secret: "other").status == 401) }
        #expect(await scene.ask("POST", "/hooks/github", [:], "{}").status == 401)
        #expect(scene.brought.withLock { $0 } == [])
        #expect(
            scene.told.withLock { $0 } == ["warning: a client sent to the hook github with a wrong signature"]
        )
        scene.end()
    }

    @Test(arguments: [
        ("", "one", "expected a name of letters, digits, _, ., : and - as X-GitHub-Event, found \\\"\\\""),
        (
            "a b", "one",
            "expected a name of letters, digits, _, ., : and - as X-GitHub-Event, found \\\"a b\\\""
        ),
        ("push", "a\"b", "as X-GitHub-Delivery, found"),
        ("push", String(repeating: "x", count: 129), "as X-GitHub-Delivery, found"),
    ])
    func `what names the event and the delivery must be a name`(event: String, id: String, part: String)
        async throws
    {
        let scene = try RouterScene()
        let answer = await scene.deliver(id, event: event)
        #expect(answer.status == 400)
        #expect(answer.text.contains(part), "\(answer.text)")
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test func `what the host refuses is told by its place in the body`() async throws {
        let scene = try RouterScene()
        let delivery = Delivery(type: "github/push", hook: "github", id: "one", body: Array("{".utf8))
        var receipt = HostIngress.Receipt()
        (receipt.lines, receipt.refused) = (1, 1)
        receipt.refusals = [.init(line: 1, column: delivery.line.count, reason: "expected a name")]
        scene.receipt.withLock { [receipt] in $0 = .success(receipt) }
        let answer = await scene.deliver(body: "{")
        #expect(answer.status == 422)
        #expect(answer.text == #"{"error":"line 1, column 2 of the body: expected a name"}"# + "\n")
        scene.end()
    }

    @Test func `columns of errors in bodies of several lines are those of the body`() async throws {
        let scene = try RouterScene()
        let body = "{\n  \"é\": nope }"
        let delivery = Delivery(type: "github/push", hook: "github", id: "one", body: Array(body.utf8))
        let column = String(decoding: delivery.line, as: UTF8.self).unicodeScalars.count - 6
        var receipt = HostIngress.Receipt()
        (receipt.lines, receipt.refused) = (1, 1)
        receipt.refusals = [.init(line: 1, column: column, reason: "expected a value")]
        scene.receipt.withLock { [receipt] in $0 = .success(receipt) }
        #expect(
            await scene.deliver(body: body).text
                == #"{"error":"line 2, column 8 of the body: expected a value"}"# + "\n")
        receipt.refusals = [.init(line: 1, column: 10, reason: "expected a value")]
        scene.receipt.withLock { [receipt] in $0 = .success(receipt) }
        let answer = await scene.ask(
            "POST", "/actions", ["authorization": "Bearer open", "content-type": "application/json"], body)
        #expect(
            answer.text
                == #"{"accepted":0,"refused":1,"refusals":[{"line":2,"column":8,"reason":"expected a value"}]}"#
                + "\n")
        scene.end()
    }

    @Test func `the secret of a hook that cannot be read keeps everybody out for now`() async throws {
        let nowhere = try #require(SecretPath("/nowhere/secret"))
        let scene = try RouterScene({
            $0.hooks = ["github": Hook(.github, secretFiles: [nowhere])]
        })
        #expect(await scene.deliver().status == 503)
        #expect(
            scene.told.withLock { $0 }.first?.contains(
                "/nowhere/secret: it cannot be read: No such file or directory") == true)
        scene.end()
    }

    @Test func `the last deliveries are known, and no more than those`() {
        let reducer = HTTP.reducer(HTTP.Settings())
        var state = HTTP.State()
        for number in 0..<1_500 {
            reducer.reduce(.delivered(hook: "a", id: "\(number)", body: "=\(number)"), &state)
        }
        #expect(state.delivered.count == HTTP.mostDeliveries)
        #expect(state.delivered.first == "a/500" && state.delivered.last == "a/1499")
        #expect(state.bodies?.count == HTTP.mostDeliveries && state.bodies?.last == "a=1499")
    }

    @Test(arguments: [(0, 400), (1, 200), (128, 200), (129, 400)])
    func `an event and a delivery have names of at most 128 letters`(count: Int, status: UInt32) async throws
    {
        let name = String(repeating: "a", count: count)
        let scene = try RouterScene()
        #expect(await scene.deliver("one", event: name).status == status)
        #expect(await scene.deliver(name, event: "push", body: "{}").status == status)
        scene.end()
    }

    @Test(arguments: ["a_b", "a.b", "a:b", "a-b", "a9"])
    func `a name may have marks and digits`(name: String) async throws {
        let scene = try RouterScene()
        #expect(await scene.deliver(name, event: name).status == 200)
        scene.end()
    }

    @Test(arguments: ["a/b", "a b", "é", "a*", "a,b"])
    func `a name has nothing that could be part of a path or a pattern`(name: String) async throws {
        let scene = try RouterScene()
        #expect(await scene.deliver("one", event: name).status == 400)
        scene.end()
    }
}
