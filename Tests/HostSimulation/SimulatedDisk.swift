// SPDX-License-Identifier: Apache-2.0

import CSimulatedDisk
import GatehouseSupport

/// The disk of a simulated host, on which each step has a number and can be the last one.
///
/// `@unchecked Sendable`: a simulation runs on one thread, and only it has its disk.
@safe final class SimulatedDisk: @unchecked Sendable {
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

    /// A disk for the files of an empty folder.
    init(folder: String, seed: UInt64) { unsafe disk = gatehouse_disk_make(folder, seed) }

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

    /// What SQLite calls this kind of disk.
    static let system = GATEHOUSE_SIMULATED_DISK

    /// The way of files that SQLite does not know to the disk.
    var calls: DiskCalls {
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
