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
        "unix:a\u{0}b", "127.0.0.1:80 ",
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

    @Test func `a relative path is looked for among the credentials of the service first`() throws {
        #expect(try #require(SecretPath("token")).places(credentials: "/run/c") == ["/run/c/token", "token"])
        #expect(try #require(SecretPath("token")).places(credentials: nil) == ["token"])
        #expect(try #require(SecretPath("/etc/token")).places(credentials: "/run/c") == ["/etc/token"])
    }
}
