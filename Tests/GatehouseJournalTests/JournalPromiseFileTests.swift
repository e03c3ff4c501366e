// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// The two slots of a promise: which one counts, and which is none.
@Suite(.timeLimit(.minutes(10))) struct JournalPromiseFileTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.makeFolder("journal")
    }

    /// The promise.
    private var path: String { folder + "/journal.promise" }

    /// A slot that was written as often, with numbers and a name.
    private func slot(
        _ count: UInt64, _ numbers: [UInt64] = [1, 2, 3, 4, 5, 6], name: String = "j",
        nameCount: UInt8? = nil,
        magic: UInt32 = 0x3150_4847
    ) -> [UInt8] {
        var rest: [UInt8] = []
        for number in [count] + numbers { rest.append(littleEndian: number) }
        rest.append(nameCount ?? UInt8(name.utf8.count))
        rest += Array(name.utf8) + Array(repeating: 0, count: 23 - name.utf8.count)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: Checksum.of(rest))
        return bytes + rest
    }

    /// What is read from two slots.
    private func read(_ first: [UInt8], _ second: [UInt8] = []) throws -> JournalPromise.Found {
        var bytes = first
        if !second.isEmpty {
            bytes += Array(repeating: 0, count: 512 - first.count)
            bytes += second
        }
        try FileSystem.write(bytes, to: path)
        return try JournalPromise.read(folder: folder)
    }

    /// What is in slots with the numbers from 1 on.
    private func content(used: UInt64 = 6) -> JournalPromise.Content {
        JournalPromise.Content(
            name: "j", extent: JournalExtent(batch: 1, sequence: 2, input: 3, epoch: 4, generation: 5),
            used: used)
    }

    @Test func `the slot that was written last counts`() throws {
        #expect(content().used == 6)
        #expect(JournalPromise.Content(name: "j", extent: JournalExtent()).used == 0)
        let other = slot(2, [1, 2, 3, 4, 5, 7])
        #expect(try read(slot(1), other) == .content(content(used: 7)))
        #expect(try read(other, slot(1)) == .content(content(used: 7)))
        #expect(try read(slot(1)) == .content(content()))
        #expect(try read(Array(repeating: 0, count: 88), slot(1)) == .content(content()))
    }

    @Test func `a slot is whole or none`() throws {
        #expect(try read(slot(1).dropLast()) == .damaged)
        #expect(try read(slot(1), slot(2, [1, 2, 3, 4, 5, 7]).dropLast()) == .content(content()))
        #expect(try read([]) == .damaged)
        #expect(try read(slot(1) + Array(repeating: 0, count: 936)) == .content(content()))
        // More than a host writes.
        #expect(try read(slot(1) + Array(repeating: 0, count: 937)) == .damaged)
    }

    @Test func `a slot of another program is none`() throws {
        #expect(try read(slot(1, magic: 0x3150_4846)) == .damaged)
        #expect(try read(slot(1, magic: 0x3150_4848)) == .damaged)
        var changed = slot(1)
        changed[4] ^= 1
        #expect(try read(changed) == .damaged)
        changed = slot(1)
        changed[87] ^= 1
        #expect(try read(changed) == .damaged)
    }

    @Test func `a name has 23 bytes at most`() throws {
        let name = "abcdefghijklmnopqrstuvw"
        #expect(try read(slot(1, name: name)).content?.name == name)
        #expect(try read(slot(1, name: name, nameCount: 22)).content?.name == String(name.dropLast()))
        #expect(try read(slot(1, name: name, nameCount: 24)) == .damaged)
        #expect(try read(slot(1, name: "")).content?.name.isEmpty == true)
        _ = try JournalPromise(
            folder: folder, JournalPromise.Content(name: name + "xyz", extent: JournalExtent()))
        #expect(try JournalPromise.read(folder: folder).content?.name == name)
    }

    @Test func `each number is one that a host could have given`() throws {
        let limit = JournalNumbers.limit
        let greatest = Array(repeating: limit, count: 6)
        #expect(
            try read(slot(limit, greatest))
                == .content(
                    JournalPromise.Content(
                        name: "j",
                        extent: JournalExtent(
                            batch: Int64(limit), sequence: limit, input: limit, epoch: Int64(limit),
                            generation: Int64(limit)), used: limit)))
        #expect(try read(slot(limit + 1)) == .damaged)
        for place in 0..<6 {
            var numbers = greatest
            numbers[place] += 1
            #expect(try read(slot(1, numbers)) == .damaged, "\(place)")
        }
    }

    @Test
    func `what a restore has taken back stands after each slot, and a host that does not read it leaves it`()
        throws
    {
        var content = content()
        content.undoneEpoch = 7
        let promise = try JournalPromise(folder: folder, content)
        #expect(try FileSystem.read(path).count == 512 + 100)
        #expect(try JournalPromise.read(folder: folder) == .content(content))
        try promise.raise(to: content.extent)
        #expect(try JournalPromise.read(folder: folder) == .content(content))
        // In the place of another one.
        content.undoneEpoch = 9
        _ = try JournalPromise(folder: folder, content)
        #expect(try JournalPromise.read(folder: folder) == .content(content))
        var bytes = try FileSystem.read(path)
        bytes.replaceSubrange(..<88, with: slot(99))
        try FileSystem.write(bytes, to: path)
        #expect(try JournalPromise.read(folder: folder).content?.undoneEpoch == 9)
        // One that is damaged is none, and then the other one counts.
        for place in [88, 99] {
            var damaged = bytes
            damaged[place] ^= 1
            try FileSystem.write(damaged, to: path)
            #expect(try JournalPromise.read(folder: folder).content?.undoneEpoch == 9, "\(place)")
            damaged[512 + place] ^= 1
            try FileSystem.write(damaged, to: path)
            #expect(try JournalPromise.read(folder: folder).content?.undoneEpoch == 0, "\(place)")
        }
        try FileSystem.write(Array(bytes[..<99]), to: path)
        #expect(try JournalPromise.read(folder: folder).content?.undoneEpoch == 0)
    }

    @Test func `while a restore is under way no journal reaches what is promised`() throws {
        let most = UInt64(Int64.max)
        #expect(
            try read(slot(1, [most, .max, .max, most, most, 6]))
                == .content(JournalPromise.Content(name: "j", extent: .unreachable, used: 6)))
        #expect(
            try read(slot(1, [most, .max, .max, most, most, .max])).content?.used == JournalNumbers.limit)
        #expect(try read(slot(1, [most, .max, .max, most, 5, 6])) == .damaged)
    }

    @Test func `a promise counts on from the one before, and its greatest input only grows`() throws {
        try FileSystem.write(slot(7), to: path)
        let promise = try JournalPromise(folder: folder, content(used: 2))
        #expect(promise.path == path)
        // It was written for the eighth and the ninth time.
        var bytes = try FileSystem.read(path)
        #expect(bytes.count == 600)
        #expect(Array(bytes[..<88]) == slot(8, [1, 2, 3, 4, 5, 3]))
        #expect(Array(bytes[512...]) == slot(9, [1, 2, 3, 4, 5, 3]))
        try promise.raise(to: JournalExtent(batch: 2, sequence: 2, input: 10, epoch: 4, generation: 5))
        bytes = try FileSystem.read(path)
        #expect(Array(bytes[..<88]) == slot(10, [2, 2, 10, 4, 5, 10]))
        #expect(Array(bytes[512...]) == slot(9, [1, 2, 3, 4, 5, 3]))
        try promise.raise(to: JournalExtent(batch: 3, sequence: 2, input: 9, epoch: 4, generation: 5))
        bytes = try FileSystem.read(path)
        #expect(Array(bytes[..<88]) == slot(10, [2, 2, 10, 4, 5, 10]))
        #expect(Array(bytes[512...]) == slot(11, [3, 2, 9, 4, 5, 10]))
        try promise.raise(to: .unreachable)
        #expect(
            try JournalPromise.read(folder: folder)
                == .content(JournalPromise.Content(name: "j", extent: .unreachable, used: 10)))
    }

    @Test func `a promise is made whole, and does not grow where it lies`() throws {
        let made = Mutex<[[UInt8]]>([])
        var disk = DiskCalls.system
        let path = path
        disk.rename = { file, other in
            guard other == path, !FileSystem.exists(path), let bytes = try? FileSystem.read(file) else {
                errno = EEXIST
                return -1
            }
            made.withLock { $0.append(bytes) }
            return DiskCalls.system.rename(file, other)
        }
        for _ in 1...2 { _ = try JournalPromise(folder: folder, content(), on: disk) }
        let bytes = try #require(made.withLock { $0.count == 1 ? $0.first : nil })
        #expect(bytes.count == 600)
        #expect(Array(bytes[..<88]) == slot(2))
        #expect(Array(bytes[512...]) == slot(1))
    }

    @Test func `a promise that there is no room for is told, and leaves no part of it`() throws {
        var disk = DiskCalls.system
        disk.write = { _, _, _, _ in 0 }
        #expect(
            throws: JournalFailure(
                folder + "/journal.sqlite", .opening, .system(call: "open \(path)", code: ENOSPC))
        ) { try JournalPromise(folder: folder, content(), on: disk) }
        #expect(try JournalPromise.read(folder: folder) == .nothing)
        #expect(FileSystem.names(in: folder) == [])
    }

    @Test(arguments: [(0, ENOSPC), (-1, EDQUOT), (5, ENOSPC)] as [(Int, Int32)])
    func `a promise that is not written whole is told with the system's reason`(count: Int, code: Int32)
        throws
    {
        var disk = DiskCalls.system
        let isMade = Mutex(false)
        disk.write = { file, path, bytes, place in
            guard isMade.withLock({ $0 }) else { return DiskCalls.system.write(file, path, bytes, place) }
            errno = count < 0 ? EDQUOT : 0
            return count
        }
        let promise = try JournalPromise(folder: folder, content(), on: disk)
        isMade.withLock { $0 = true }
        #expect(
            throws: JournalFailure(
                folder + "/journal.sqlite", .writing, .system(call: "write \(path)", code: code))
        ) { try promise.raise(to: JournalExtent(batch: 9, sequence: 9, input: 9, epoch: 9, generation: 9)) }
    }

    @Test(arguments: [false, true])
    func `a promise whose name is not on the disk is told, whether it is made or taken over`(isThere: Bool)
        throws
    {
        if isThere { _ = try JournalPromise(folder: folder, content()) }
        var disk = DiskCalls.system
        disk.syncFolder = { _ in
            errno = EIO
            return -1
        }
        #expect(
            throws: JournalFailure(
                folder + "/journal.sqlite", .opening,
                .system(call: isThere ? "fsync \(folder)" : "open \(path)", code: EIO))
        ) { try JournalPromise(folder: folder, content(), on: disk) }
    }

    /// Seed 1,034,897 of the simulated host found it.
    @Test
    func
        `a promise outlives a host that is killed while it writes, and the power failing while the next one starts`()
        throws
    {
        // Another start may have written both slots and been killed before they were on the disk.
        let torn = slot(2) + Array(repeating: 0, count: 424) + Array(slot(3)[..<8]) + Array(slot(1)[8...])
        for isWhole in [false, true] {
            try FileSystem.write(
                isWhole ? slot(4) + Array(repeating: 0, count: 424) + slot(3) : torn, to: path)
            // What is on the disk, and what would be in each write, of which the first bytes come there and nothing that was not synced.
            let states = Mutex((disk: torn, after: [[UInt8]]()))
            var disk = DiskCalls.system
            disk.write = { file, path, bytes, place in
                states.withLock { states in
                    var left = states.disk
                    left.replaceSubrange(place..<place + 8, with: bytes[..<8])
                    states.after.append(left)
                }
                return DiskCalls.system.write(file, path, bytes, place)
            }
            disk.sync = { file, path in
                states.withLock { $0.disk = (try? FileSystem.read(path)) ?? [] }
                return DiskCalls.system.sync(file, path)
            }
            _ = try JournalPromise(folder: folder, content(), on: disk)
            let left = states.withLock { $0.after }
            #expect(left.count == 2)
            for bytes in left {
                try FileSystem.write(bytes, to: path)
                #expect(try JournalPromise.read(folder: folder) != .damaged)
            }
        }
    }

    @Test func `a promise lets go of its file`() throws {
        for _ in 1...3 { _ = try JournalPromise(folder: folder, content()) }
        let identity = try #require(SystemFile.identity(path))
        let open = (0..<1_024).filter { SystemFile.identity("/proc/self/fd/\($0)") == identity }
        #expect(open.isEmpty)
    }

    @Test func `where there is no file or no folder nothing was promised`() throws {
        #expect(try JournalPromise.read(folder: folder) == .nothing)
        #expect(try JournalPromise.read(folder: temporary("no")) == .nothing)
        let file = try temporary.write("x", to: "file")
        #expect(try JournalPromise.read(folder: file) == .nothing)
        #expect(JournalPromise.Found.nothing.content == nil)
        #expect(JournalPromise.Found.damaged.content == nil)
        #expect(JournalPromise.Found.content(content()).content == content())
    }

    @Test func `whether something was promised must be known`() {
        let folder = temporary(String(repeating: "x", count: 256))
        #expect(
            throws: JournalFailure(
                folder + "/journal.sqlite", .opening,
                .system(call: "stat \(folder)/journal.promise", code: ENAMETOOLONG))
        ) { try JournalPromise.read(folder: folder) }
    }

    @Test func `a promise that cannot be made is told`() throws {
        let missing = temporary("no")
        #expect(
            throws: JournalFailure(
                missing + "/journal.sqlite", .opening,
                .system(call: "open \(missing)/journal.promise", code: ENOENT))
        ) { try JournalPromise(folder: missing, content()) }
        try FileSystem.link(path, to: temporary("elsewhere"))
        #expect(
            throws: JournalFailure(
                folder + "/journal.sqlite", .opening,
                .system(call: "open \(folder)/journal.promise", code: ELOOP))
        ) { try JournalPromise(folder: folder, content()) }
        #expect(!FileSystem.exists(temporary("elsewhere")))
    }
}
