// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSupport
private import Glibc

/// What the host shares with the session of one instance in a process: a ring in each direction, and a socket for connections.
///
/// Made for one process, on the thread that starts it. Another thread takes what the session tells.
final class WorkerShare {
    /// The instance's library, by the path at which this process finds it, too, and by its name.
    let image: (path: String, name: String)
    /// What this side writes.
    let own: RingMemory
    /// Makes its connections; nil where it is granted none.
    let broker: NetworkBroker?
    /// What the other writes, before it is mapped.
    private let file: RingFile
    /// What this side writes, until the process has inherited it.
    private var given: RingFile?
    /// The descriptor at which the process finds the library; nil for one that it finds by its path.
    private let library: Int32?

    /// Makes the rings for an instance, and the socket where it is granted connections.
    ///
    /// - Throws: what the system refuses.
    init(for seat: WorkerSeat) throws {
        image = seat.image
        library = seat.path == nil ? seat.file.descriptor : nil
        file = try RingFile(named: "from worker", capacity: WorkerLife.capacity)
        let ours = try RingFile(named: "to worker", capacity: WorkerLife.capacity)
        own = try RingMemory(own: ours)
        given = consume ours
        let grant = seat.entry.grant
        broker =
            grant.network.isEmpty
            ? nil : try NetworkBroker(for: seat.entry.id, grant.connections, seat.listeners)
    }

    deinit { letGo() }

    /// The descriptors that the process inherits; empty once it has.
    var descriptors: [Int32] {
        guard let ours = given?.descriptor else { return [] }
        return [file.descriptor, ours] + [library, broker?.other].compactMap(\.self)
    }

    /// The files of the ring that the process writes, and that this one writes.
    var rings: (own: Int32, other: Int32) { (file.descriptor, given?.descriptor ?? -1) }

    /// Closes what the process alone needs, which has it by now or never will.
    func letGo() {
        guard given != nil else { return }
        given = nil
        if let broker { close(broker.other) }
    }

    /// Maps what the process writes, once it says that it has done so itself.
    ///
    /// - Throws: what is wrong with the memory.
    func other() throws(RingFailure) -> RingMemory { try RingMemory(other: file) }
}
