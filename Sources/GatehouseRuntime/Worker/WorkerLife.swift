// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// One process of a worker, from its start to its end.
///
/// Made, followed and ended on one thread, whose end would end the process. Another thread takes what it tells.
final class WorkerLife {
    /// The bytes for data in each direction.
    static let capacity = 1 << 18

    /// The process.
    let child: HostChild
    /// What it is doing, as it writes itself.
    let flightRecorder: FlightRecorder
    /// The library, by the path at which this process finds it, too, and by its name.
    let image: (path: String, name: String)
    /// What this side writes.
    let own: RingMemory
    /// Makes its connections; nil where it is granted none.
    let broker: NetworkBroker?
    /// What the other writes, before it is mapped.
    private let file: RingFile

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - program: the host's own program.
    ///   - image: the descriptor at which it finds the library; nil for one that it finds by its path.
    ///   - access: the files that it may reach.
    ///   - memory: the most bytes of memory that it may take; nil for any number.
    ///   - broker: makes its connections; nil where it is granted none.
    ///   - request: makes the request, of the descriptors that it shares.
    init(
        _ program: String, image: Int32?, access: FileAccess, memory: Int?, broker: NetworkBroker?,
        _ request: (_ flightRecorder: Int32, _ own: Int32, _ other: Int32) -> WorkerRequest
    ) throws {
        self.broker = broker
        // The process has its own.
        defer { if let broker { close(broker.other) } }
        let record = try Self.memoryFile()
        defer { close(record) }
        flightRecorder = FlightRecorder(lookingAt: record)
        file = try RingFile(named: "from worker", capacity: Self.capacity)
        let ours = try RingFile(named: "to worker", capacity: Self.capacity)
        own = try RingMemory(own: ours)
        let given = request(record, file.descriptor, ours.descriptor)
        child = try HostChild(
            program, .work, request: given.bytes,
            images: [record, file.descriptor, ours.descriptor] + [image, broker?.other].compactMap(\.self),
            access: access, memory: memory, tracesCalls: false
        )
        self.image = (given.path, given.name)
    }

    /// Maps what the process writes, once it says that it has done so itself.
    ///
    /// - Throws: what is wrong with the memory.
    func other() throws(RingFailure) -> RingMemory { try RingMemory(other: file) }

    /// Creates the file of a flight recorder.
    private static func memoryFile() throws(ChildFailure) -> Int32 {
        let file = unsafe gatehouse_memfd_create("flight recorder")
        guard file >= 0 else { throw ChildFailure("memfd_create", code: -file) }
        guard ftruncate(file, off_t(FlightRecorder.byteCount)) == 0, gatehouse_memfd_fix_size(file) == 0
        else {
            defer { close(file) }
            throw ChildFailure("ftruncate", code: errno)
        }
        return file
    }
}
