// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What a host knows of the effects of a worker, and which of them it blames for deaths.
@Suite(.timeLimit(.minutes(10))) struct WorkerTrafficTests {
    @Test func `of effects that were open at as many deaths, the youngest is blamed`() throws {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, .null), (2, 12, .null)], [])
        let early1 = traffic.blameEffects(atMost: 3)
        #expect(early1 == nil)
        let early2 = traffic.blameEffects(atMost: 3)
        #expect(early2 == nil)
        let blamed = traffic.blameEffects(atMost: 3)
        #expect(blamed == 12)
    }

    @Test func `an effect is blamed before an older one although the first death came before it was told`()
        throws
    {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, .null)], [])
        let early3 = traffic.blameEffects(atMost: 3)
        #expect(early3 == nil)
        _ = try traffic.finish(0, [(2, 12, .null)], [])
        let early4 = traffic.blameEffects(atMost: 3)
        #expect(early4 == nil)
        let blamed = traffic.blameEffects(atMost: 3)
        #expect(blamed == 12)
    }

    @Test func `an effect that has begun since is not blamed, nor one that has ended`() throws {
        var traffic = WorkerTraffic()
        _ = try traffic.finish(0, [(1, 11, .null), (2, 12, .null)], [])
        let early5 = traffic.blameEffects(atMost: 3)
        #expect(early5 == nil)
        let early6 = traffic.blameEffects(atMost: 3)
        #expect(early6 == nil)
        _ = try traffic.finish(0, [(3, 13, .null)], [2])
        let blamed = traffic.blameEffects(atMost: 3)
        #expect(blamed == 11)
    }

    @Test func `of an action that is left out no effect begins again, and those of others do`() throws {
        var traffic = WorkerTraffic()
        var batch = OrderBatch()
        for sequence in [11, 12] as [UInt64] {
            let json = Array(#"{"type":"a/send"}"#.utf8)
            unsafe json.withUnsafeBytes {
                unsafe batch.add(
                    hearing: "send", under: "a/send", from: .here(), as: $0, effect: sequence + 100,
                    sequence: sequence, origin: (0, 0, 0), at: 0)
            }
        }
        traffic.kept.take(&batch)
        let count = traffic.kept.withUnsent { $0.count }
        traffic.kept.send(count)
        _ = try traffic.finish(2, [(1, 11, .null), (2, 12, .null)], [])
        let left = traffic.leaveOut(11)
        #expect(left?.action.sequence == 11)
        #expect(left?.finished == [111])
        let effects = traffic.effects.mapValues(\.sequence)
        #expect(effects == [2: 12])
        let again = traffic.leaveOut(11)
        #expect(again?.finished == nil)
    }
}
