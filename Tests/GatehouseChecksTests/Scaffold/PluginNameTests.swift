// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseChecks
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct PluginNameTests {
    @Test(arguments: [
        ("Greeter", "greeter"), ("RateLimiter", "rate-limiter"), ("HTTPServer", "http-server"),
        ("HTTPServer2", "http-server2"), ("Base64Text", "base64-text"), ("A", "a"), ("AB", "ab"),
        ("ABc", "a-bc"),
    ])
    func `the id has the words of the name in lower case`(name: String, id: String) throws {
        let found = try PluginName(name)
        #expect(found.type == name)
        #expect(found.id == id)
    }

    @Test(arguments: [
        ("rate-limiter", "RateLimiter"), ("rateLimiter", "RateLimiter"), ("rate limiter", "RateLimiter"),
        ("plugins/Greeter", "Greeter"), ("Greeter.swift", "GreeterSwift"), ("Rate_Limiter", "RateLimiter"),
        ("Gr\u{FC}n", "GrN"),
    ])
    func `what is no name of a type is refused with the name that was meant`(found: String, meant: String) {
        #expect(throws: PluginNameError.form(found: found, suggestion: meant)) { try PluginName(found) }
    }

    @Test(arguments: ["", "-", "..", "/", "42", "2fast", "\u{0}", "\u{1F600}", "plugin"])
    func `where nothing better is known nothing is suggested`(found: String) {
        #expect(throws: PluginNameError.form(found: found, suggestion: nil)) { try PluginName(found) }
    }

    @Test func `names of the SDK and of Swift are taken`() {
        for name in ["Plugin", "State", "Testing", "String", "GatehouseSDK", "Host"] {
            #expect(throws: PluginNameError.taken(name)) { try PluginName(name) }
        }
    }

    @Test func `a name has at most 64 characters`() throws {
        _ = try PluginName("A" + String(repeating: "b", count: 63))
        #expect(throws: PluginNameError.length(found: 65, limit: 64)) {
            try PluginName("A" + String(repeating: "b", count: 64))
        }
    }

    @Test func `each refusal is a sentence that says what to do`() {
        #expect(
            "\(PluginNameError.form(found: "rate-limiter", suggestion: "RateLimiter"))"
                == "expected the name of a Swift type such as RateLimiter, with an upper-case letter first, followed by letters and digits, found \"rate-limiter\"; did you mean \"RateLimiter\"?"
        )
        #expect(
            "\(PluginNameError.form(found: "42", suggestion: nil))"
                == "expected the name of a Swift type such as RateLimiter, with an upper-case letter first, followed by letters and digits, found \"42\""
        )
        #expect(
            "\(PluginNameError.taken("State"))"
                == "a module or type that plugins use is called State; choose another name, such as MyState")
        #expect(
            "\(PluginNameError.length(found: 65, limit: 64))"
                == "expected a name of at most 64 characters, found 65")
    }
}
