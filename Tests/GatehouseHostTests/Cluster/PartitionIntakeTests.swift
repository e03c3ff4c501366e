// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import Testing

@testable import GatehouseHost

struct PartitionIntakeTests {
    /// What a checkpoint keeps.
    private typealias Slices = [String: [UInt8]]

    /// The intake of a partition that is given to a member, with a window of ten minutes.
    private func intake(_ slices: Slices = [:], at offset: ClusterOffset = .start) throws -> PartitionIntake {
        PartitionIntake(
            PartitionGrant(epoch: 1, offset: offset, slices: slices, attempts: 1),
            try PartitionSlices.book(slices), window: 600)
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
        #expect(intake.pass(offset(100), from: nil) == true)
        #expect(intake.pass(offset(100, 1), from: origin(1)) == true)
        #expect(intake.pass(offset(100, 2), from: origin(1)) == false)
        #expect(intake.count == 3)
        #expect(intake.offset == offset(100, 2))
        _ = intake.write()
        #expect(intake.count == 0)
    }

    @Test func `whoever has the partition next knows what was taken, and how far its numbers are`() throws {
        var slices: Slices = [:]
        var first = try intake()
        _ = first.pass(offset(100), from: origin(7))
        #expect(first.take("a") == true)
        first.number(9)
        write(&first, over: &slices)
        var next = try intake(slices, at: first.offset)
        #expect(next.inputs == 9)
        #expect(next.pass(offset(101), from: origin(7)) == false)
        #expect(next.take("a") == false)
    }

    @Test
    func `names and sources are forgotten by the time of the actions, whatever the clock of a member says`()
        throws
    {
        // All of it lies decades before the time of this machine.
        var slices: Slices = [:]
        var first = try intake()
        _ = first.pass(offset(10_000), from: origin(7))
        _ = first.take("a")
        write(&first, over: &slices)
        var next = try intake(slices, at: first.offset)
        _ = next.pass(offset(10_599), from: nil)
        write(&next, over: &slices)
        #expect(next.take("a") == false)
        #expect(next.pass(offset(10_599, 1), from: origin(7)) == false)
        _ = next.pass(offset(10_600), from: nil)
        #expect(next.take("a") == true)
        write(&next, over: &slices)
        #expect(slices.keys.sorted() == ["book", "ids:10600.0"])
        #expect(next.pass(offset(13_599), from: origin(7)) == false)
        _ = next.pass(offset(13_600), from: nil)
        _ = next.write()
        #expect(next.pass(offset(13_600, 1), from: origin(7)) == true)
    }

    @Test func `when the clock of the engine is set back, time stands still until it is there again`() throws
    {
        // Within a stream offsets do not go back; those of another number of partitions begin anew.
        var slices: Slices = [:]
        var first = try intake()
        _ = first.pass(offset(10_000), from: nil)
        _ = first.take("a")
        write(&first, over: &slices)
        var next = try intake(slices)
        _ = next.pass(offset(6_400), from: nil)
        #expect(next.take("a") == false)
        #expect(next.take("b") == true)
        write(&next, over: &slices)
        #expect(slices.keys.sorted() == ["book", "ids:10000.0"])
        _ = next.pass(offset(10_599), from: nil)
        #expect(next.take("b") == false)
        _ = next.pass(offset(10_600), from: nil)
        #expect(next.take("b") == true)
    }
}
