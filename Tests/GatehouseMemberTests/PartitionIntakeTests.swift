// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseRuntime
import GatehouseSDK
import Testing

@testable import GatehouseMember
@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10)))
struct PartitionIntakeTests {
    /// What a checkpoint keeps.
    private typealias Slices = [String: [UInt8]]

    /// An action that a writer has given a name.
    private func action(_ id: String) -> AnyAction { AnyAction("shop/order", meta: ["id": .string(id)]) }

    /// The intake of a partition that is given to a member, with a window of ten minutes.
    private func intake(_ slices: Slices = [:], at offset: ClusterOffset = .start) throws -> PartitionIntake {
        PartitionIntake(
            PartitionGrant(epoch: 1, offset: offset, slices: slices, attempts: 1),
            try PartitionSlices.recordedLog(slices),
            by: ActionKeys(ClusterConfiguration(engine: "redis://a", name: "shop")), window: 600)
    }

    /// A place of an action that was put there at a time in seconds.
    private func offset(_ seconds: UInt64, _ number: UInt64 = 0) -> ClusterOffset {
        ClusterOffset(seconds * 1_000, number)
    }

    /// Writes a checkpoint, in which there are the slices of the one before.
    private func write(_ intake: inout PartitionIntake, over slices: inout Slices) {
        let written = intake.write()
        slices.merge(written.slices) { $1 }
        for name in written.gone { slices[name] = nil }
    }

    /// An action of a process.
    private func origin(_ sequence: UInt64) -> ClusterOrigin {
        ClusterOrigin(source: "host-a.k3", sequence: sequence)
    }

    @Test func `what was taken is counted until it is written`() throws {
        var intake = try intake()
        #expect(intake.pass(offset(100), from: nil, at: 0) == true)
        #expect(intake.pass(offset(100, 1), from: origin(1), at: 0) == true)
        #expect(intake.pass(offset(100, 2), from: origin(1), at: 0) == false)
        #expect(intake.count == 3)
        #expect(intake.offset == offset(100, 2))
        _ = intake.write()
        #expect(intake.count == 0)
    }

    @Test func `an action without a name is taken each time`() throws {
        var intake = try intake()
        for action in [AnyAction("shop/order"), AnyAction("shop/order", meta: ["id": 7])] {
            #expect(intake.take(action) == true)
            #expect(intake.take(action) == true)
        }
    }

    @Test func `whoever has the partition next knows what was taken, and how far its numbers are`() throws {
        var slices: Slices = [:]
        var first = try intake()
        _ = first.pass(offset(100), from: origin(7), at: 0)
        #expect(first.take(action("a")) == true)
        first.inputs = 9
        write(&first, over: &slices)
        var next = try intake(slices, at: first.offset)
        #expect(next.inputs == 9)
        #expect(next.pass(offset(101), from: origin(7), at: 0) == false)
        #expect(next.take(action("a")) == false)
    }

    @Test(arguments: [0, 3_600, -3_600])
    func `names and sources are known for their time to a member whose clock is wrong`(ahead: Int) throws {
        var slices: Slices = [:]
        var first = try intake()
        _ = first.pass(offset(10_000), from: origin(7), at: 10_000)
        _ = first.take(action("a"))
        write(&first, over: &slices)
        var next = try intake(slices, at: first.offset)
        _ = next.pass(offset(10_599), from: nil, at: 10_599 + ahead)
        write(&next, over: &slices)
        #expect(next.take(action("a")) == false)
        #expect(next.pass(offset(10_599, 1), from: origin(7), at: 10_599 + ahead) == false)
        // One that is behind knows them until its own clock is there, too.
        let late = max(0, -ahead)
        _ = next.pass(offset(UInt64(10_600 + late)), from: nil, at: 10_600 + late + ahead)
        #expect(next.take(action("a")) == true)
    }

    @Test func `when the clock of the engine is set ahead, names and sources are known for their time`()
        throws
    {
        var intake = try intake()
        _ = intake.pass(offset(10_000), from: origin(7), at: 10_000)
        _ = intake.take(action("a"))
        _ = intake.write()
        _ = intake.pass(offset(90_000), from: nil, at: 10_599)
        _ = intake.write()
        #expect(intake.take(action("a")) == false)
        _ = intake.pass(offset(90_001), from: nil, at: 10_600)
        #expect(intake.take(action("a")) == true)
        _ = intake.pass(offset(90_002), from: nil, at: 13_599)
        _ = intake.write()
        #expect(intake.pass(offset(90_003), from: origin(7), at: 13_599) == false)
        _ = intake.pass(offset(90_004), from: nil, at: 13_600)
        _ = intake.write()
        #expect(intake.pass(offset(90_005), from: origin(7), at: 13_600) == true)
    }

    @Test func `when the clock of the engine is set back, time stands still until it is there again`() throws
    {
        // Within a stream offsets do not go back; those of another number of partitions begin anew.
        var slices: Slices = [:]
        var first = try intake()
        _ = first.pass(offset(10_000), from: nil, at: 10_000)
        _ = first.take(action("a"))
        write(&first, over: &slices)
        var next = try intake(slices)
        _ = next.pass(offset(6_400), from: nil, at: 10_001)
        #expect(next.take(action("a")) == false)
        #expect(next.take(action("b")) == true)
        write(&next, over: &slices)
        #expect(slices.keys.sorted() == ["book", "ids:10000.0.10000", "ids:10000.0.10001"])
        _ = next.pass(offset(10_599), from: nil, at: 14_200)
        #expect(next.take(action("b")) == false)
        _ = next.pass(offset(10_600), from: nil, at: 14_201)
        #expect(next.take(action("b")) == true)
    }
}
