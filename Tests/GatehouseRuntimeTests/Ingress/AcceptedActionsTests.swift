// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime

/// When actions that a strict journal has to commit have waited long enough for others.
@Suite(.timeLimit(.minutes(10))) struct AcceptedActionsTests {
    private let start = ContinuousClock.now

    /// Adds actions that came as lines of some bytes, each at the same time.
    private func add(_ count: Int, to accepted: inout AcceptedActions, bytes: Int = 20, after time: Duration)
    {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: bytes)
        for _ in 0..<count {
            unsafe line.withUnsafeBytes { line in
                let text = unsafe ActionText(bytes: line, isPayload: false)
                accepted.add(AnyAction("a"), text, from: .here(), id: nil, at: start + time)
            }
        }
    }

    @Test func `a thousand of them are enough`() {
        var accepted = AcceptedActions()
        add(1_023, to: &accepted, after: .zero)
        #expect(!accepted.isFull(at: start))
        add(1, to: &accepted, after: .zero)
        #expect(accepted.isFull(at: start))
    }

    @Test func `long lines are enough before`() {
        var accepted = AcceptedActions()
        add(3, to: &accepted, bytes: 100_000, after: .zero)
        #expect(accepted.isFull(at: start))
    }

    @Test func `the first one waits for others for 20 milliseconds, as long as they come`() {
        var accepted = AcceptedActions()
        add(1, to: &accepted, after: .zero)
        add(31, to: &accepted, after: .milliseconds(19))
        #expect(!accepted.isFull(at: start + .milliseconds(19)))
        #expect(accepted.isFull(at: start + .milliseconds(20)))
        accepted.takeAll { _, _, _ in }
        #expect(!accepted.isFull(at: start + .seconds(60)))
        add(16, to: &accepted, after: .seconds(60))
        #expect(!accepted.isFull(at: start + .seconds(60)))
    }

    @Test func `a quarter of a megabyte of lines is enough, and one byte less is not`() {
        var accepted = AcceptedActions()
        add(1, to: &accepted, bytes: 262_143, after: .zero)
        #expect(!accepted.isFull(at: start))
        accepted.takeAll { _, _, _ in }
        add(1, to: &accepted, bytes: 262_144, after: .zero)
        #expect(accepted.isFull(at: start))
    }

    @Test func `each round has its own lines, and nothing of the rounds before`() {
        var accepted = AcceptedActions()
        for (round, letter) in ["a", "b", "c"].enumerated() {
            #expect(accepted.isEmpty)
            // Together they are more than one round may have.
            let line = Array(String(repeating: letter, count: 200_000 - round).utf8)
            unsafe line.withUnsafeBytes { bytes in
                let text = unsafe ActionText(bytes: bytes, isPayload: false)
                accepted.add(AnyAction(ActionType(letter)), text, from: .here(), id: letter, at: start)
            }
            #expect(!accepted.isFull(at: start))
            let inputs = accepted.inputs(from: 7)
            #expect(inputs.map(\.number) == [7])
            #expect(inputs.map(\.id) == [letter])
            var taken: [(String, Int)] = []
            accepted.takeAll { action, text, _ in
                taken.append((action.type.name, unsafe text.bytes.count))
                #expect(unsafe text.bytes.allSatisfy { $0 == line[0] })
            }
            #expect(taken.map(\.0) == [letter])
            #expect(taken.map(\.1) == [line.count])
        }
    }
}
