// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// What input lines may carry.
@Suite(.timeLimit(.minutes(10))) struct IngressConfigurationTests {
    /// The rules that a file has.
    private func ingress(_ text: String) throws -> IngressConfiguration {
        let outcome = ConfigurationParser.parse(Array(#"{"ingress": \#(text)}"#.utf8), file: "plugins.json")
        #expect(outcome.diagnostics.all.map(\.description) == [])
        return try #require(outcome.configuration?.ingress)
    }

    @Test func `each member has its meaning`() throws {
        let read = try ingress(
            #"""
            { "allow": ["orders/*"], "deny": ["orders/secret"], "wrap": { "type": "orders/line" },
              "listen": ["unix:in.sock"], "tail": "in.ndjson", "keep": { "count": 5 }, "maximumLineBytes": 2048,
              "input": { "allow": ["orders/eu/*"], "deny": ["orders/eu/secret"] } }
            """#)
        let patterns = ConfigurationExample.patterns
        #expect(try read.allow == patterns("orders/*") && read.deny == patterns("orders/secret"))
        #expect(read.wrap == .type("orders/line"))
        #expect(read.listen.map(\.place) == [.path("in.sock")])
        #expect(read.tail.count == 1)
        #expect(read.keep == KeepConfiguration(count: 5))
        #expect(read.maximumLineBytes == 2_048)
        #expect(
            try read.input
                == InputConfiguration(allow: patterns("orders/eu/*"), deny: patterns("orders/eu/secret")))
    }

    @Test(arguments: [
        ("{}", "orders/a", nil),
        ("{}", "host/a", #"input may not carry host actions; allow this one in "ingress"/"allow""#),
        (#"{"allow": ["*"]}"#, "orders/a", nil), (#"{"allow": ["host/a"]}"#, "host/a", nil),
        (
            #"{"allow": ["orders/a"]}"#, "orders/b",
            #"input may not carry it: "ingress"/"allow" does not list it; add it there"#
        ),
        (
            #"{"deny": ["orders/*"]}"#, "orders/a",
            #"input may not carry it: "ingress"/"deny" lists "orders/*""#
        ),
        (
            #"{"allow": ["orders/a"], "deny": ["orders/a"]}"#, "orders/a",
            #"input may not carry it: "ingress"/"deny" lists "orders/a""#
        ),
    ])
    func `a type comes in where it is allowed and not denied`(text: String, type: String, reason: String?)
        throws
    {
        #expect(try ingress(text).objection(to: type) == reason)
    }

    @Test(arguments: [
        ("{}", "orders/a", nil), (#"{"allow": ["orders/a"]}"#, "orders/a", nil),
        (
            #"{"allow": ["orders/a"]}"#, "orders/b",
            #"this input may not carry it: "allow" of "input" does not list it; add it there"#
        ),
        (
            #"{"allow": ["orders/a"], "deny": ["*"]}"#, "orders/a",
            #"this input may not carry it: "deny" of "input" lists "*""#
        ),
    ])
    func `one input has rules of its own`(text: String, type: String, reason: String?) throws {
        #expect(
            try ingress(#"{"input": \#(text)}"#).input.objection(to: type, at: #""input""#) == reason)
    }

    @Test func `all come in unasked only where there are no rules`() throws {
        #expect(try ingress("{}").admitsAll && ingress("{}").input.admitsAll)
        #expect(try !ingress(#"{"allow": ["*"]}"#).admitsAll)
        #expect(try !ingress(#"{"deny": ["a"]}"#).admitsAll)
        #expect(try !ingress(#"{"input": {"allow": ["*"]}}"#).input.admitsAll)
        #expect(try !ingress(#"{"input": {"deny": ["a"]}}"#).input.admitsAll)
    }
}
