// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import HTTPPlugin

@Suite(.timeLimit(.minutes(10))) struct FormBodyTests {
    /// The fields of a body, as JSON.
    private func fields(_ body: String) -> String? {
        FormBody(Array(body.utf8)).map { Value.object($0.fields).json() }
    }

    @Test(arguments: [
        ("a=1&b=2", #"{"a":"1","b":"2"}"#), ("", "{}"), ("a", #"{"a":""}"#), ("a=", #"{"a":""}"#),
        ("=1", #"{"":"1"}"#), ("a=1=2", #"{"a":"1=2"}"#), ("a=1&&b=2&", #"{"a":"1","b":"2"}"#),
        ("b=1&a=2&b=3", #"{"b":"1","a":"2"}"#), ("a=1+2%2B", #"{"a":"1 2+"}"#),
        ("%61=%c3%A9", #"{"a":"é"}"#), ("a=%41", #"{"a":"A"}"#), ("a=%7e", #"{"a":"~"}"#),
    ])
    func `names and values are told with their escapes resolved, the first of a name`(
        body: String, json: String
    ) { #expect(fields(body) == json) }

    @Test(arguments: ["a=%", "a=%4", "a=%g1", "a=%1g", "%", "a=%ff", "%zz=1", "a=1&b=%"])
    func `an escape that is none, and what is not UTF-8, is no form`(body: String) {
        #expect(fields(body) == nil)
    }
}
