// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseRuntime

/// What a host that hands over still sends to the process that goes on.
@Suite(.timeLimit(.minutes(10))) struct ForwardingAdmissionTests {
    /// The end of the connection at the other process.
    private let other: Int32
    private let admission: ForwardingAdmission
    /// A host without plugins.
    private let host: Host

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        other = ends[0]
        admission = ForwardingAdmission(to: ends[1])
        host = Host(
            try .empty(),
            reports: Reporter { _ in }
        ) { _ in }
    }

    /// Takes an action as an instance brings it.
    private func take(_ action: AnyAction, line: UInt = 0, by instance: String? = nil) -> Bool {
        admission.take(
            action, nil, from: ActionSource(file: "in", function: "", line: line, info: instance),
            to: host.store)
    }

    /// All that has arrived at the other process.
    private func arrived() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(other, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Answers as the other process does.
    private func answer(_ answers: ForwardedActions.Answer...) {
        let bytes = answers.map(\.rawValue)
        #expect(unsafe send(other, bytes, bytes.count, 0) == bytes.count)
    }

    @Test func `an action is two lines, its source and itself, and each is sent once`() throws {
        #expect(take(AnyAction("a", payload: [1]), line: 7))
        #expect(take(AnyAction("b"), by: "web"))
        // All of it is taken before any of it is dispatched.
        #expect(admission.keepsFirst && !admission.isFull)
        #expect(arrived() == "")
        try admission.dispatchTaken(to: host.store)
        #expect(
            arrived() == """
                {"file":"in","line":7,"info":null}
                {"type":"a","payload":[1]}
                {"file":"in","line":0,"info":"web"}
                {"type":"b"}

                """)
        try admission.dispatchTaken(to: host.store)
        #expect(arrived() == "")
        close(other)
    }

    @Test func `duplicates are counted from the last time that somebody asked for them`() throws {
        for type in ["a", "b", "c"] { #expect(take(AnyAction(ActionType(type)))) }
        try admission.dispatchTaken(to: host.store)
        answer(.kept, .duplicate, .duplicate)
        try admission.finish()
        #expect(admission.takeDuplicates() == [1, 2])
        #expect(admission.takeDuplicates() == [])
        #expect(take(AnyAction("d")))
        try admission.dispatchTaken(to: host.store)
        answer(.duplicate)
        try admission.finish()
        #expect(admission.takeDuplicates() == [0])
        close(other)
    }

    @Test func `a process that ends without an answer has taken nothing for sure`() throws {
        #expect(take(AnyAction("a")))
        try admission.dispatchTaken(to: host.store)
        close(other)
        #expect(throws: IngressError.self) { try admission.finish() }
        #expect(take(AnyAction("b")))
        #expect(throws: IngressError.self) { try admission.dispatchTaken(to: host.store) }
    }
}
