// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import HTTPPlugin

/// What an operator may write, as the plugin reads it.
@Suite(.timeLimit(.minutes(10))) struct HTTPSettingsTests {
    @Test func `the manifest describes the plugin`() throws {
        try HTTP.checkManifest(at: "Plugins/HTTP/plugin.json")
    }

    @Test(arguments: [
        "127.0.0.1:8080", "127.0.0.1:0", "0.0.0.0:65535", "localhost:80", "[::1]:8080", "[::]:0",
        "unix:/run/http.sock", "unix:http.sock",
    ])
    func `an address with a port, or the path of a socket, is a place to listen`(text: String) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.text == text)
    }

    @Test(arguments: [
        "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:08080", "127.0.0.1:-1",
        "example.org:80", "::1:8080", "[]:80", "[::1]", "[host]:80", "1.2.3:80", "1.2..3:80", "unix:",
        "unix:a\u{0}b", "127.0.0.1:80 ", "1.2..3.4:80", ".1.2.3.4:80", "1.2.3.4.:80",
    ])
    func `anything else is none`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("localhost:1", true), ("[::1]:1", true),
        ("unix:a", true), ("0.0.0.0:1", false), ("192.168.0.1:1", false), ("[::]:1", false),
    ])
    func `an address is known to be of this machine alone`(text: String, isLocal: Bool) throws {
        #expect(try #require(ListenAddress(text)).isLocal == isLocal)
    }

    @Test func `a hook has what its form says, unless another is said`() throws {
        let github = try (["secretFiles": ["a"]] as Value).decode(Hook.self)
        #expect(github == Hook(.github, secretFiles: [try #require(SecretPath("a"))]))
        #expect(github.signatureHeader == "X-Hub-Signature-256")
        #expect(github.actionType(event: "push", hook: "github") == "github/push")
        let generic = try
            ([
                "form": "generic", "secretFiles": ["a", "b"], "type": "built", "idHeader": "X-Id",
                "signatureEncoding": "base64",
            ] as Value).decode(Hook.self)
        #expect(generic.signatureHeader == "X-Signature-256")
        #expect(generic.idHeader == "X-Id")
        #expect(generic.signatureEncoding == .base64)
        #expect(generic.actionType(event: nil, hook: "builds") == "built")
        #expect(Hook(.generic, secretFiles: []).actionType(event: nil, hook: "builds") == "hooks/builds")
    }

    @Test(arguments: [HookForm.github, .gitlab, .stripe, .slack, .generic])
    func `a hook is read again as it is written`(form: HookForm) throws {
        var hook = Hook(form, secretFiles: [try #require(SecretPath("a"))])
        hook.allow = [.all]
        #expect(try Value(encoding: hook).decode(Hook.self) == hook)
    }

    @Test(
        arguments: [
            (["secretFiles": []], "/secretFiles: expected 1 or 2 files, found 0"),
            (["secretFiles": ["a", "b", "c"]], "/secretFiles: expected 1 or 2 files, found 3"),
            (["secretFiles": [""]], "/secretFiles/0: expected the path of a file with a secret, found \"\""),
            (
                ["secretFiles": ["a\u{0}b"]],
                "/secretFiles/0: expected the path of a file with a secret, found \"a\\u0000b\""
            ),
            (
                ["secretFiles": ["a"], "type": "all/*"],
                "/type: expected the beginning of an action type, without *, found \"all/*\""
            ),
            (
                ["form": "stripe", "secretFiles": ["a"], "idHeader": "X"],
                "/idHeader: expected nothing, because the form stripe has its own headers, found the key"
            ),
            (
                ["secretFiles": ["a"], "tolerance": 10],
                "/tolerance: expected nothing, because the form github signs no time, found the key"
            ),
            (
                ["form": "slack", "secretFiles": ["a"], "tolerance": 0],
                "/tolerance: expected 1 to 86400 seconds, found 0"
            ),
            (
                ["secretFiles": ["a"], "allow": ["*a"]],
                "/allow/0: expected an action type, with * at most at its end, found \"*a\""
            ),
        ] as [(Value, String)])
    func `a hook that makes no sense is an error with its place`(written: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) { try written.decode(Hook.self) }
        #expect(failure?.description == message)
    }

    @Test(arguments: [
        "type", "signatureHeader", "signaturePrefix", "signatureEncoding", "idHeader", "eventHeader",
        "sameBody",
    ])
    func `a member of a hook that is no text is an error, and not left out`(name: String) {
        let written: Value = ["secretFiles": ["a"], name: 7]
        let failure = #expect(throws: DecodingError.self) { try written.decode(Hook.self) }
        #expect(
            failure.map { CodingFailure($0).description }
                == "/\(name): expected a string, found an integer")
    }

    @Test func `a relative path is looked for among the credentials of the service first`() throws {
        #expect(try #require(SecretPath("token")).places(credentials: "/run/c") == ["/run/c/token", "token"])
        #expect(try #require(SecretPath("token")).places(credentials: nil) == ["token"])
        #expect(try #require(SecretPath("/etc/token")).places(credentials: "/run/c") == ["/etc/token"])
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8_080), ("localhost:9", "127.0.0.1", 9),
            ("[::1]:65535", "::1", 65_535), ("[::ffff:1.2.3.4]:0", "::ffff:1.2.3.4", 0),
            ("0.0.0.0:00001", "0.0.0.0", nil), ("1.2.3.4:0080", "1.2.3.4", 80),
        ] as [(String, String, UInt16?)])
    func `an address is that of a host and a port`(text: String, host: String, port: UInt16?) {
        let place = ListenAddress(text)?.place
        #expect(place == port.map { .port(host: host, $0) })
        #expect(ListenAddress(text)?.isUnix != true)
    }

    @Test func `a path is that of a socket, and the default is this machine at 8080`() throws {
        let path = try #require(ListenAddress("unix:/run/a b"))
        #expect(path.place == .path("/run/a b"))
        #expect(path.isUnix)
        #expect(ListenAddress().place == .port(host: "127.0.0.1", 8_080))
        #expect(ListenAddress().text == "127.0.0.1:8080")
        #expect(ListenAddress().isLocal)
    }

    @Test(arguments: [
        "1.2.3.4.5:80", "1.2.3.x:80", "/.2.3.4:80", ":.2.3.4:80", "[::g]:80", "[é]:80", "1.2.3.4:/0",
    ])
    func `what is no address of a host is none to listen at`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test func `what nobody has set is as the documentation says`() {
        let settings = HTTP.Settings()
        #expect(settings.maximumBody == 8_388_608)
        #expect(settings.maximumConnections == 1_024)
        #expect(settings.reading == .open)
        #expect(settings.allow == [.all])
        #expect(HTTP.Settings.BodyRange.range == 1_024...268_435_456)
        #expect(HTTP.Settings.ConnectionRange.range == 1...65_536)
    }

    @Test func `the forms differ in their headers and in what they sign`() {
        let forms: [HookForm] = [.github, .gitlab, .stripe, .slack, .generic]
        #expect(forms.map(\.hasOwnHeaders) == [false, true, true, true, false])
        #expect(forms.map(\.signsTime) == [false, true, true, true, false])
        let hooks = forms.map { Hook($0, secretFiles: []) }
        #expect(hooks.map(\.type) == ["github/", "gitlab/", "stripe/", "slack/", "hooks/"])
        #expect(hooks.map(\.tolerance) == [300, 300, 300, 300, 300])
        #expect(hooks.map(\.sameBody) == [.refuse, .accept, .accept, .accept, .accept])
        #expect(hooks.map(\.tellsBodies) == [true, false, false, false, false])
        #expect(hooks[0].signaturePrefix == "sha256=")
        #expect(hooks[0].idHeader == "X-GitHub-Delivery")
        #expect(hooks[0].eventHeader == "X-GitHub-Event")
        for hook in hooks.dropFirst() {
            #expect([hook.signaturePrefix, hook.idHeader, hook.eventHeader] == ["", "", ""])
            #expect(hook.signatureHeader == "X-Signature-256")
        }
    }

    @Test(arguments: [1, 86_400, 86_401]) func `a tolerance is up to a day`(seconds: Int) {
        let written: Value = ["form": "slack", "secretFiles": ["a"], "tolerance": Value(seconds)]
        let hook = try? written.decode(Hook.self)
        #expect(hook?.tolerance == (seconds <= 86_400 ? seconds : nil))
    }

    @Test func `all that is written of a hook is read, and nothing that its form does not use is written`()
        throws
    {
        var generic = Hook(.generic, secretFiles: try ["a", "b"].map { try #require(SecretPath($0)) })
        generic.type = "built/"
        generic.allow = [.all]
        (generic.signatureHeader, generic.signaturePrefix, generic.signatureEncoding) = ("H", "p=", .plain)
        (generic.idHeader, generic.eventHeader, generic.sameBody) = ("I", "E", .refuse)
        let value = try Value(encoding: generic)
        #expect(try value.decode(Hook.self) == generic)
        #expect(
            value.json()
                == #"{"form":"generic","secretFiles":["a","b"],"type":"built/","allow":["*"],"signatureHeader":"H","signaturePrefix":"p=","signatureEncoding":"plain","idHeader":"I","eventHeader":"E","sameBody":"refuse"}"#
        )
        var slack = Hook(.slack, secretFiles: [try #require(SecretPath("a"))])
        slack.tolerance = 7
        #expect(
            try Value(encoding: slack).json()
                == #"{"form":"slack","secretFiles":["a"],"type":"slack/","tolerance":7}"#)
        #expect(try Value(encoding: slack).decode(Hook.self) == slack)
    }

    @Test(arguments: [
        ("built", true), ("built/x", false), ("a/", false), ("a/b", true), ("a/b/c", true), ("b", false),
    ])
    func `a hook admits the types that its patterns fit`(type: String, isAdmitted: Bool) throws {
        var hook = Hook(.generic, secretFiles: [])
        #expect(hook.admits(type))
        hook.allow = try (["built", "a/b*"] as Value).decode([ActionTypePattern].self)
        #expect(hook.admits(type) == isAdmitted)
        hook.allow = []
        #expect(!hook.admits(type))
    }

    @Test func `an event is appended to a type that ends with a slash only`() {
        var hook = Hook(.generic, secretFiles: [])
        hook.type = "a/"
        #expect(hook.actionType(event: "e", hook: "h") == "a/e")
        hook.type = "a"
        #expect(hook.actionType(event: "e", hook: "h") == "a")
    }

    @Test func `an absolute path, or a service without credentials, has one place`() throws {
        #expect(try #require(SecretPath("token")).places(credentials: "") == ["token"])
        #expect(SecretPath("") == nil)
    }
}
