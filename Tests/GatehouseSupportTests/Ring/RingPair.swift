// SPDX-License-Identifier: Apache-2.0

@testable import GatehouseSupport

/// Both sides of a connection in one process, each with maps of its own as two processes have them.
final class RingPair {
    /// The file that one side writes, and the one of the other side.
    let here, there: RingFile
    /// The same, each mapped for writing by its owner and for reading by the other.
    let ownHere, otherHere, ownThere, otherThere: RingMemory

    /// A connection with so many bytes in each direction.
    init(capacity: Int = 4_096) throws {
        here = try RingFile(named: "here", capacity: capacity)
        there = try RingFile(named: "there", capacity: capacity)
        ownHere = try RingMemory(own: here)
        ownThere = try RingMemory(own: there)
        otherHere = try RingMemory(other: here)
        otherThere = try RingMemory(other: there)
    }

    /// The end that sends from here.
    func writer() -> RingWriter { RingWriter(own: ownHere, other: otherThere) }

    /// The end that reads there.
    func reader() -> RingReader { RingReader(own: ownThere, other: otherHere) }

    /// An end here to which nothing comes.
    func idle() -> RingReader { RingReader(own: ownHere, other: otherThere) }

    /// Publishes what no honest side would: bytes sent from here, bytes taken there, or how often the other side has slept.
    func lie(sent: UInt64? = nil, taken: UInt64? = nil, sleeps: UInt32? = nil) {
        if let sent { unsafe ownHere.start.storeBytes(of: sent, toByteOffset: 0, as: UInt64.self) }
        if let taken { unsafe ownThere.start.storeBytes(of: taken, toByteOffset: 64, as: UInt64.self) }
        if let sleeps { unsafe ownThere.start.storeBytes(of: sleeps, toByteOffset: 128, as: UInt32.self) }
    }

    /// How often the other side has begun and ended to sleep until there are bytes.
    var sleeps: UInt32 { unsafe otherThere.start.load(fromByteOffset: 128, as: UInt32.self) }
}
