// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// One process of a worker, from its start to its end.
///
/// Made, followed and ended on one thread, whose end would end the process. Others take what it tells.
final class WorkerLife {
    /// The bytes for data in each direction.
    static let capacity = 1 << 18

    /// The process.
    let child: HostChild
    /// Its program, which calls of its own code belong to.
    let program: String
    /// What it is doing, as it writes itself.
    let flightRecorder: FlightRecorder
    /// The folder of its control group; nil for none of its own.
    let groupFolder: String?
    /// What it shares with this process for each of its instances.
    let shares: [WorkerShare]

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - program: the host's own program, or that of the installed version that the libraries were built for.
    ///   - seats: what each of its instances needs, at least one.
    ///   - memory: the most bytes of memory that it may take; nil for any number.
    ///   - group: its control group; nil for that of this process.
    ///   - isDebugged: whether it waits for a debugger.
    init(
        _ program: String, for seats: [WorkerSeat], memory: Int?, group: ControlGroup? = nil, isDebugged: Bool
    ) throws {
        self.program = program
        let record: Int32
        do throws(SystemFailure) { record = try FlightRecorder.makeFile() } catch {
            throw ChildFailure(ofMemory: error)
        }
        defer { close(record) }
        flightRecorder = FlightRecorder(lookingAt: record)
        let shares = try seats.map { try WorkerShare(for: $0) }
        defer { for share in shares { share.letGo() } }
        self.shares = shares
        groupFolder = group?.folder
        let request = WorkerRequest(
            flightRecorder: record, capacity: Self.capacity, isDebugged: isDebugged,
            members: zip(seats, shares).map { $0.member(sharing: $1) })
        // Two instances of one library may have one descriptor of it.
        let descriptors = Set(shares.flatMap(\.descriptors)).sorted()
        child = try HostChild(
            program, .work, request: request.bytes, images: [record] + descriptors,
            access: FileAccess(unionOf: seats.map(\.access)), memory: memory, group: group,
            tracesCalls: false)
    }
}
