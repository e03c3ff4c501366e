// SPDX-License-Identifier: Apache-2.0

private import CSimulatedDisk
package import GatehouseSupport
private import Glibc

/// A disk on which each step has a number and can be the last one.
///
/// `@unchecked Sendable`: the disk guards itself with a lock.
@safe package final class SimulatedDisk: @unchecked Sendable {
    /// What can happen in a step.
    enum Event: Int32, CaseIterable {
        case processEnds = 1
        case powerFails = 2
        case writeFails = 3
        case isFull = 4
        case syncFails = 5
    }

    /// The disk itself, which belongs to this object.
    private let disk: OpaquePointer

    /// A disk for the files of a folder; what is in it is on the disk.
    package init(folder: String, seed: UInt64) { unsafe disk = gatehouse_disk_make(folder, seed) }

    deinit { unsafe gatehouse_disk_free(disk) }

    /// Lets an event come to pass in a step, counted from 1 for the next one; nil for none any more.
    func expect(_ event: Event?, in step: UInt64 = 1) {
        unsafe gatehouse_disk_expect(disk, event?.rawValue ?? 0, step)
    }

    /// The end that came; nil while process and power are there.
    var end: Event? { Event(rawValue: unsafe gatehouse_disk_end(disk)) }

    /// Ends the process or the power between two steps.
    func end(by event: Event) { unsafe gatehouse_disk_end_now(disk, event.rawValue) }

    /// Lets the machine come back with what is left; 0, or the system's number for what went wrong.
    func restart() -> Int32 { unsafe gatehouse_disk_restart(disk) }

    /// Lets the power fail for a copy of the disk, just before a step, counted from 1 for the next one, or at once for 0; the disk itself goes
    /// on. What is left of the copy comes into an empty folder.
    package func fork(into folder: String, in step: UInt64 = 0) {
        unsafe gatehouse_disk_fork(disk, folder, step)
    }

    /// Whether the copy was made; where its step has not come, it is not made any more.
    ///
    /// - Throws: why it could not be written into the folder.
    package func endFork() throws(SystemFailure) -> Bool {
        switch unsafe gatehouse_disk_end_fork(disk) {
        case 0: return true
        case Glibc.EAGAIN: return false
        case let code: throw SystemFailure(code: code)
        }
    }

    /// Lets the disk lie about what it has synced.
    func lie() { unsafe gatehouse_disk_lie(disk, 1) }

    /// What has happened so far.
    var account: DiskAccount { DiskAccount(unsafe gatehouse_disk_account(disk)) }

    /// How many steps there have been.
    var steps: UInt64 { unsafe gatehouse_disk_account(disk).steps }

    /// How many events came to pass that end nothing.
    var failures: UInt64 {
        let events = unsafe gatehouse_disk_account(disk).events
        return events.3 + events.4 + events.5
    }

    /// What SQLite calls this kind of disk where one thread uses it.
    static let system = GATEHOUSE_SIMULATED_DISK
    /// What SQLite calls it where several do.
    package static let sharedSystem = GATEHOUSE_SHARED_DISK

    /// The way of files that SQLite does not know to the disk.
    package var calls: DiskCalls {
        DiskCalls { [self] path, mode in
            unsafe gatehouse_disk_create(disk, path, mode)
        } write: { [self] file, path, bytes, place in
            unsafe gatehouse_disk_write(disk, path, file, bytes, UInt(bytes.count), place)
        } sync: { [self] _, path in
            unsafe gatehouse_disk_sync(disk, path)
        } rename: { [self] path, other in
            unsafe gatehouse_disk_rename(disk, path, other)
        } remove: { [self] path in
            unsafe gatehouse_disk_remove(disk, path)
        } syncFolder: { [self] _ in
            unsafe gatehouse_disk_sync_folder(disk)
        }
    }
}
