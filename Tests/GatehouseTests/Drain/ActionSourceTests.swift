// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ActionSourceTests {
    @Test func `here is the place of the call`() {
        let source = ActionSource.here(info: "x"); let line: UInt = #line
        #expect(source.file.hasSuffix("ActionSourceTests.swift"))
        #expect(source.function == "here is the place of the call()")
        #expect(source.line == line)
        #expect(source.info == "x")
    }

    @Test func `with info changes nothing else`() {
        let source = ActionSource(file: "f", function: "g", line: 7, info: nil)
        #expect(source.with(info: "i") == ActionSource(file: "f", function: "g", line: 7, info: "i"))
        #expect(source.info == nil)
    }

    @Test(arguments: ["file", "function", "line", "info"])
    func `what an encoder refuses is an error for each member`(_ member: String) {
        let source = ActionSource(file: "f", function: "g", line: 7, info: "i")
        #expect(throws: RefusingEncoder.Refusal.self) { try source.encode(to: RefusingEncoder(member)) }
        #expect(throws: Never.self) { try source.encode(to: RefusingEncoder("another")) }
    }
}

/// Takes the members of one object, and refuses one of them.
private struct RefusingEncoder: Encoder {
    /// What it throws.
    struct Refusal: Error {}

    /// The members of the object.
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        /// The member that is refused.
        let refused: String
        let codingPath: [any CodingKey] = []

        mutating func encodeNil(forKey key: Key) throws { try take(key) }
        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try take(key) }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(Members<Nested>(refused: refused)) }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            superEncoder().unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { RefusingEncoder(refused) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }

        private func take(_ key: Key) throws {
            if key.stringValue == refused { throw Refusal() }
        }
    }

    private let refused: String
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ refused: String) { self.refused = refused }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(refused: refused))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("an object is expected") }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        preconditionFailure("an object is expected")
    }
}
