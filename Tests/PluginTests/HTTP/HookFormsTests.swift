// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import HTTPPlugin

/// Webhooks of GitLab, Stripe and Slack, signed by the rules that their documentation gives.
@Suite(.timeLimit(.minutes(10))) struct HookFormsTests {
    /// What a request is signed with; the clock of the scene shows 1,531,420,618 seconds since 1970.
    private static let now = 1_531_420_618

    /// A scene with one hook of a form.
    private func scene(
        _ form: HookForm, _ secrets: [String], now: Int? = now, _ change: (inout Hook) -> Void = { _ in }
    ) throws -> RouterScene {
        let scene = try RouterScene(secrets: secrets, now: now)
        var hook = Hook(form, secretFiles: scene.secretPaths)
        change(&hook)
        scene.open { $0.hooks = ["in": hook] }
        return scene
    }

    private func hex(_ message: String, _ secret: String) -> String {
        String(
            decoding: Signature.hex(Signature.of(Array(message.utf8), with: Array(secret.utf8))),
            as: UTF8.self)
    }

    // MARK: - GitLab

    private let push = #"{"object_kind":"push"}"#

    private func gitlab(
        _ scene: RouterScene, _ fields: [String: String], event: String? = "Push Hook", key: String? = "k-1"
    ) async -> HTTPResponse {
        var all = fields
        all["content-type"] = "application/json"
        all["x-gitlab-event"] = event
        all["idempotency-key"] = key
        return await scene.ask("POST", "/hooks/in", all, push)
    }

    /// The fields that GitLab signs with the key `test` × 8, at a time.
    private func signed(_ time: Int = now, id: String = "k-1") -> [String: String] {
        signed("\(time)", id: id)
    }

    private func signed(_ time: String, id: String = "k-1") -> [String: String] {
        let key = [UInt8]("testtesttesttesttesttesttesttest".utf8)
        let digest = Signature.base64(Signature.of(Array("\(id).\(time).\(push)".utf8), with: key))
        return [
            "webhook-id": id, "webhook-timestamp": time,
            "webhook-signature": "v1,AAAA v1,\(String(decoding: digest, as: UTF8.self))",
        ]
    }

    /// The example of GitLab's merge request 231325.
    private let signingToken = "whsec_dGVzdHRlc3R0ZXN0dGVzdHRlc3R0ZXN0dGVzdHRlc3Q="

    @Test func `a webhook of GitLab shows its token, and its event becomes a type`() async throws {
        let scene = try scene(.gitlab, ["hush"])
        #expect(await gitlab(scene, ["x-gitlab-token": "hush"]).text == #"{"accepted":1}"# + "\n")
        #expect(await gitlab(scene, ["x-gitlab-token": "hush"]).text.contains("duplicates"))
        #expect(
            await gitlab(scene, ["x-gitlab-token": "hush"], event: "Merge Request Hook", key: nil).status
                == 200)
        #expect(
            scene.brought.withLock { $0 } == [
                #"{"type":"gitlab/push","error":false,"meta":{"hook":"in","id":"in/k-1"},"payload":{"object_kind":"push"}}"#,
                #"{"type":"gitlab/merge_request","error":false,"meta":{"hook":"in"},"payload":{"object_kind":"push"}}"#,
            ])
        scene.end()
    }

    @Test func `a token of GitLab that is wrong, or not there, is refused`() async throws {
        let scene = try scene(.gitlab, ["hush"])
        let wrong = await gitlab(scene, ["x-gitlab-token": "hash"])
        #expect(wrong.status == 401)
        #expect(wrong.text == #"{"error":"the token in X-Gitlab-Token is not the secret"}"# + "\n")
        #expect(
            await gitlab(scene, [:]).text
                == #"{"error":"expected a signature as X-Gitlab-Token, found none"}"# + "\n")
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test
    func
        `a secret that begins with whsec_ is the key of a signature of GitLab, of which there may be several`()
        async throws
    {
        let scene = try scene(.gitlab, [signingToken])
        #expect(await gitlab(scene, signed()).status == 200)
        var other = signed()
        other["webhook-id"] = "k-2"
        #expect(
            await gitlab(scene, other).text
                == #"{"error":"the signature in webhook-signature does not fit the body and the secret"}"#
                + "\n")
        // Who knows the text of the key and no more has signed nothing.
        #expect(await gitlab(scene, ["x-gitlab-token": signingToken]).status == 401)
        scene.end()
    }

    @Test
    func
        `while GitLab goes over from a token to signatures, both are taken, and no wrong signature for a token`()
        async throws
    {
        let scene = try scene(.gitlab, ["hush", signingToken])
        #expect(await gitlab(scene, ["x-gitlab-token": "hush"], key: "k-1").status == 200)
        #expect(await gitlab(scene, signed(id: "k-2"), key: "k-2").status == 200)
        var both = signed(id: "k-3")
        both["x-gitlab-token"] = "hush"
        both["webhook-signature"] = "v1,AAAA"
        #expect(await gitlab(scene, both, key: "k-3").status == 401)
        scene.end()
    }

    @Test(arguments: [
        "", "1531420618.0", "1.531420618e9", "1531420618s", ":", "-1531420618", "+1531420618", "-0",
        "4294967296",
    ])
    func `a time that is signed and is no number of seconds is refused`(time: String) async throws {
        let scene = try scene(.gitlab, [signingToken])
        let answer = await gitlab(scene, signed(time))
        #expect(answer.status == 401)
        #expect(
            answer.text
                == #"{"error":"expected a time in seconds since 1970 as webhook-timestamp, found something else"}"#
                + "\n")
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test func `a signing token that is no base 64 is told to the operator`() async throws {
        let scene = try scene(.gitlab, ["whsec_?"])
        #expect(await gitlab(scene, signed()).status == 503)
        #expect(
            scene.told.withLock { $0 } == [
                "warning: a client sent to the hook in whose secret begins with whsec_ and has no base 64 after it; write the signing token there as GitLab shows it"
            ])
        scene.end()
    }

    // MARK: - Stripe

    private let paid = #"{"id":"evt_1","type":"invoice.paid"}"#

    private func stripe(_ scene: RouterScene, _ header: String?, _ body: String? = nil) async -> HTTPResponse
    {
        var fields = ["content-type": "application/json; charset=utf-8"]
        fields["stripe-signature"] = header
        return await scene.ask("POST", "/hooks/in", fields, body ?? paid)
    }

    private func stripeHeader(_ body: String, _ time: Int = now, secrets: [String] = ["whsec_a"]) -> String {
        (["t=\(time)"] + secrets.map { "v1=" + hex("\(time).\(body)", $0) } + ["v0=00"])
            .joined(separator: ",")
    }

    @Test func `a webhook of Stripe has its event and its id in the body`() async throws {
        let scene = try scene(.stripe, ["whsec_a"])
        #expect(await stripe(scene, stripeHeader(paid)).text == #"{"accepted":1}"# + "\n")
        #expect(
            await stripe(scene, stripeHeader(paid, Self.now + 1)).text
                == #"{"accepted":0,"duplicates":1}"# + "\n")
        #expect(
            scene.brought.withLock { $0 } == [
                #"{"type":"stripe/invoice.paid","error":false,"meta":{"hook":"in","id":"in/evt_1"},"payload":{"id":"evt_1","type":"invoice.paid"}}"#
            ])
        scene.end()
    }

    @Test func `while Stripe changes a secret, one of several signatures is enough, with either secret`()
        async throws
    {
        let scene = try scene(.stripe, ["whsec_a", "whsec_b"])
        for secrets in [["whsec_x", "whsec_b"], ["whsec_a"], ["whsec_b", "whsec_a"]] {
            #expect(await stripe(scene, stripeHeader(paid, secrets: secrets)).status == 200)
        }
        #expect(await stripe(scene, stripeHeader(paid, secrets: ["whsec_x", "whsec_y"])).status == 401)
        scene.end()
    }

    @Test func `a signature of Stripe holds for 300 seconds by the clock of the host`() async throws {
        let scene = try scene(.stripe, ["whsec_a"])
        for distance in [-300, 300] {
            #expect(await stripe(scene, stripeHeader(paid, Self.now + distance)).status == 200)
        }
        for distance in [-301, 301] {
            let answer = await stripe(scene, stripeHeader(paid, Self.now + distance))
            #expect(answer.status == 401)
            #expect(
                answer.text
                    == #"{"error":"the signature is 301 seconds away from the time of this host, 300 are allowed; set the clocks, or sign again"}"#
                    + "\n")
        }
        scene.end()
    }

    @Test func `tolerance says how long a signature holds`() async throws {
        let scene = try scene(.stripe, ["whsec_a"]) { $0.tolerance = 10 }
        #expect(await stripe(scene, stripeHeader(paid, Self.now - 10)).status == 200)
        #expect(await stripe(scene, stripeHeader(paid, Self.now - 11)).status == 401)
        scene.end()
    }

    @Test(arguments: ["", "t=1", "v1=00", "t=1,t=2,v1=00", "nonsense", "t,v1"])
    func `a header that is no signature of Stripe is told what one is`(header: String) async throws {
        let scene = try scene(.stripe, ["whsec_a"])
        let answer = await stripe(scene, header)
        #expect(answer.status == 401)
        #expect(
            answer.text
                == #"{"error":"expected t=TIME,v1=SIGNATURE as Stripe-Signature, found something else"}"#
                + "\n"
        )
        scene.end()
    }

    @Test func `a body of Stripe that is no event is refused with what is missing`() async throws {
        let scene = try scene(.stripe, ["whsec_a"])
        for (body, status, text) in [
            (
                #"{"id":"evt_1"}"#, 400,
                "expected a name of letters, digits, _, ., : and - as /type of the body, found none"
            ),
            (
                #"{"id":7,"type":"a"}"#, 400,
                "expected a name of letters, digits, _, ., : and - as /id of the body, found 7"
            ),
            ("{\n  \"id\": nope }", 422, "line 2, column 9 of the body: expected a value, found nope"),
        ] {
            let answer = await stripe(scene, stripeHeader(body), body)
            #expect(answer.status == status)
            #expect(answer.text.contains(text), "\(answer.text)")
        }
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test func `without a clock no signature with a time is taken, and the sender is told who can mend it`()
        async throws
    {
        let scene = try scene(.stripe, ["whsec_a"], now: nil)
        let answer = await stripe(scene, stripeHeader(paid))
        #expect(answer.status == 403)
        #expect(answer.text.contains(#"the instance http is not granted \"clock\""#))
        scene.end()
    }

    // MARK: - Slack

    /// The secret and the request of the example in Slack's documentation, whose signature is `documented`.
    private let signingSecret = "8f742231b10e8888abcd99yyyzzz85a5"
    private let command =
        "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    private let documented = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"

    private func slack(
        _ scene: RouterScene, _ body: String, form: Bool = false, time: Int = 1_531_420_618,
        signature: String? = nil
    ) async -> HTTPResponse {
        await scene.ask(
            "POST", "/hooks/in",
            [
                "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
                "x-slack-request-timestamp": "\(time)",
                "x-slack-signature": signature ?? "v0=" + hex("v0:\(time):\(body)", signingSecret),
            ], body)
    }

    @Test func `the example of the documentation of Slack is a command whose fields are the payload`()
        async throws
    {
        let scene = try scene(.slack, [signingSecret])
        let answer = await slack(scene, command, form: true, signature: documented)
        #expect(answer.status == 200)
        #expect(answer.text == "")
        let action = try JSONText.parse(try #require(scene.brought.withLock { $0 }.first))
        #expect(action["type"] == "slack/slash_command")
        #expect(
            action["meta"] == [
                "hook": "in", "id": "in/398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
            ])
        #expect(action["payload"]?["command"] == "/webhook-collect")
        #expect(action["payload"]?["text"] == "")
        #expect(
            action["payload"]?["response_url"]
                == "https://hooks.slack.com/commands/T1DC2JH3J/397700885554/96rGlfmibIGlgcZRskXaIFfN")
        scene.end()
    }

    @Test func `a request of Slack that is old, or signed otherwise, is refused`() async throws {
        let scene = try scene(.slack, [signingSecret])
        #expect(await slack(scene, command, form: true, time: Self.now - 301).status == 401)
        #expect(
            await slack(scene, command + "1", form: true, signature: documented).text
                == #"{"error":"the signature in X-Slack-Signature does not fit the body and the secret"}"#
                + "\n"
        )
        #expect(
            await slack(scene, command, form: true, signature: "v1=00").text
                == #"{"error":"expected v0= and hexadecimal digits as X-Slack-Signature, found something else"}"#
                + "\n")
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test func `the challenge of Slack is answered as its documentation says, and is no action`() async throws
    {
        let scene = try scene(.slack, [signingSecret])
        let answer = await slack(
            scene,
            #"{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}"#
        )
        #expect(answer.status == 200)
        #expect(answer.text == "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P")
        #expect(answer.field("Content-Type") == "text/plain; charset=utf-8")
        #expect(await slack(scene, "ssl_check=1&token=x", form: true).status == 200)
        #expect(scene.brought.withLock { $0 } == [])
        scene.end()
    }

    @Test func `an event of Slack has the type of what happened, and comes once`() async throws {
        let scene = try scene(.slack, [signingSecret])
        let event = #"{"type":"event_callback","event":{"type":"app_mention"},"event_id":"Ev1"}"#
        for _ in 0..<2 { #expect(await slack(scene, event).status == 200) }
        #expect(await slack(scene, #"{"type":"app_rate_limited"}"#).status == 200)
        #expect(
            scene.brought.withLock { $0 } == [
                #"{"type":"slack/app_mention","error":false,"meta":{"hook":"in","id":"in/Ev1"},"payload":\#(event)}"#,
                #"{"type":"slack/app_rate_limited","error":false,"meta":{"hook":"in"},"payload":{"type":"app_rate_limited"}}"#,
            ])
        scene.end()
    }

    @Test func `what somebody does with a message of Slack is the JSON in the field payload`() async throws {
        let scene = try scene(.slack, [signingSecret])
        let body =
            "payload=%7B%22type%22%3A%22block_actions%22%2C%22trigger_id%22%3A%221.2.a%22%2C%22text%22%3A%22a+b%22%7D"
        #expect(await slack(scene, body, form: true).status == 200)
        #expect(
            scene.brought.withLock { $0 } == [
                #"{"type":"slack/block_actions","error":false,"meta":{"hook":"in","id":"in/1.2.a"},"payload":{"type":"block_actions","trigger_id":"1.2.a","text":"a b"}}"#
            ])
        scene.end()
    }

    @Test(arguments: [
        ("a=%zz", "expected a form of names and values in UTF-8 with percent escapes, found another body"),
        ("a=%FF", "expected a form of names and values in UTF-8 with percent escapes, found another body"),
        ("a=b", "expected a form with the field payload or command, found neither"),
        ("payload=%7B", "line 1, column 2 of the field payload: "),
    ])
    func `a form that Slack does not send is refused with the reason`(body: String, reason: String)
        async throws
    {
        let scene = try scene(.slack, [signingSecret])
        let answer = await slack(scene, body, form: true)
        #expect(answer.status == 422)
        #expect(answer.text.contains(reason), "\(answer.text)")
        scene.end()
    }

    // MARK: - All of them

    @Test func `allow of a hook lets in what it lists, and the others are told where to add theirs`()
        async throws
    {
        let scene = try scene(.stripe, ["whsec_a"]) {
            $0.allow = ["stripe/invoice.*", "stripe/ping"].compactMap(ActionTypePattern.init)
        }
        #expect(await stripe(scene, stripeHeader(paid)).status == 200)
        for type in ["charge.failed", "pinged"] {
            let body = #"{"id":"evt_2","type":"\#(type)"}"#
            let answer = await stripe(scene, stripeHeader(body), body)
            #expect(answer.status == 403)
            #expect(
                answer.text
                    == #"{"error":"the hook in does not let stripe/\#(type) in; add it to \"allow\" of the hook, or let the sender leave it out"}"#
                    + "\n")
        }
        #expect(scene.brought.withLock { $0.count } == 1)
        scene.end()
    }

    @Test func `a hook is called by whatever name it has outside, everything else is not`() async throws {
        let scene = try scene(.gitlab, ["hush"])
        let fields = [
            "host": "hooks.example.org", "origin": "https://example.org", "x-gitlab-token": "hush",
            "x-gitlab-event": "Push Hook", "content-type": "application/json",
        ]
        #expect(await scene.ask("POST", "/hooks/in", fields, push).status == 200)
        #expect(await scene.ask("GET", "/health", fields).status == 421)
        #expect(await scene.ask("GET", "/hooks", fields).status == 421)
        scene.end()
    }
}
