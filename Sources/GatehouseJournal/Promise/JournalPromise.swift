// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
private import Glibc
private import Synchronization

/// A small file beside a journal that says how far the journal was promised to be kept; callable from any thread.
///
/// It is written after SQLite has made something durable and before anybody learns of that. Nothing forces it to the disk, so after a
/// power failure it may name less than the journal has, and never more. Two slots take turns, each with a checksum in a sector of its
/// own: a write that was torn leaves the promise before. Of the slots on the disk at most one is torn: a start mends it for good before it
/// writes the other one.
package final class JournalPromise: Sendable {
    /// What a promise says.
    package struct Content: Equatable, Sendable {
        /// The name of the journal.
        package let name: String
        /// What must be there.
        let extent: JournalExtent
        /// The greatest number that an input was ever given, also one that was lost or taken back by a restore: effects are named by it.
        package var used: UInt64 = 0
        /// The greatest number of an opening that was taken back by a restore, or is lost: effects that follow from no input are named by it. 0 for none.
        package var undoneEpoch: Int64 = 0

        /// Whether a restore is under way, or was interrupted.
        package var isOfRestore: Bool { extent == .unreachable }
        /// The greatest number of an opening that there has been.
        var lastEpoch: Int64 { isOfRestore ? undoneEpoch : max(undoneEpoch, extent.epoch) }
    }

    /// What stands beside a journal.
    package enum Found: Equatable, Sendable {
        /// No file.
        case nothing
        /// A file whose slots are both not as they were written.
        case damaged
        /// A promise.
        case content(Content)

        /// What was promised; nil where that cannot be told.
        package var content: Content? {
            guard case .content(let content) = self else { return nil }
            return content
        }
    }

    /// The file's name in its folder.
    package static let fileName = "journal.promise"
    /// How many bytes a slot has: a sector.
    private static let slot = 512
    /// How many bytes of a slot are used.
    private static let used = 88
    /// How many bytes follow where a restore has taken openings back. They stay as they are while a promise is raised, also by hosts before
    /// 0.6, which do not read them.
    private static let undoneBytes = 12
    /// The first bytes of a slot: "GHP1".
    private static let magic: UInt32 = 0x3150_4847
    /// How many bytes a journal's name has at most.
    private static let mostName = 23

    /// The path of the journal, for failures.
    private let journal: String
    /// The path of the file.
    package let path: String
    /// The name of the journal.
    private let name: String
    /// The opened file, which belongs to this object.
    private let descriptor: Int32
    /// Writes the file.
    private let disk: DiskCalls
    /// How often the promise was written, and the greatest number of an input.
    private let state: Mutex<(count: UInt64, used: UInt64)>

    /// Makes a promise for the journal in a folder, in the place of the one that is there; it is on the disk afterwards.
    package init(folder: String, _ content: Content, on disk: DiskCalls = .system) throws(JournalFailure) {
        self.disk = disk
        journal = folder + "/" + JournalSchema.fileName
        path = folder + "/" + Self.fileName
        name = content.name
        let count = Self.slots(of: path).map(\.count).max()
        var target: CChar = 0
        // A link is refused below.
        let isLink = unsafe readlink(path, &target, 1) >= 0
        let isMade = count == nil && !isLink
        if isMade {
            // One that grows where it lies would be damaged after a power failure meanwhile.
            var content = content
            if !content.isOfRestore { content.used = max(content.used, content.extent.input) }
            let slots = [2, 1].map { [content] in
                Self.bytes(of: content, count: $0) + Self.undoneBytes(of: content)
            }
            let gap = [UInt8](repeating: 0, count: Self.slot - slots[0].count)
            do throws(SystemFailure) {
                try SystemFile.replace(path, with: slots[0] + gap + slots[1], isLasting: true, by: disk)
            } catch {
                throw JournalFailure(journal, .opening, .system(call: "open \(path)", code: error.code))
            }
        }
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JournalFailure(journal, .opening, .system(call: "open \(path)", code: errno))
        }
        state = Mutex((isMade ? 2 : count ?? 0, content.used))
        if isMade { return }
        // First and for good, so that neither slot is ever without it.
        let undone = Self.undoneBytes(of: content)
        for slot in 0...1 { try write(undone, at: slot * Self.slot + Self.used) }
        if !undone.isEmpty { try sync() }
        // Both slots, so that nothing is left of another journal. The first one may be torn on the disk, because a host was killed while it wrote
        // there; it is whole before the other one is touched.
        for _ in 0...1 {
            try raise(to: content.extent)
            try sync()
        }
        guard disk.syncFolder(folder) == 0 else {
            throw JournalFailure(journal, .opening, .system(call: "fsync \(folder)", code: errno))
        }
    }

    deinit { close(descriptor) }

    /// What stands beside the journal in a folder.
    package static func read(folder: String) throws(JournalFailure) -> Found {
        let path = folder + "/" + fileName
        guard SystemFile.status(path) != nil else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw JournalFailure(
                    folder + "/" + JournalSchema.fileName, .opening,
                    .system(call: "stat \(path)", code: errno))
            }
            return .nothing
        }
        let slots = slots(of: path)
        guard var content = slots.max(by: { $0.count < $1.count })?.content else { return .damaged }
        content.undoneEpoch = slots.map(\.content.undoneEpoch).max() ?? 0
        return .content(content)
    }

    /// Promises more.
    func raise(to extent: JournalExtent) throws(JournalFailure) {
        try state.withLock { state throws(JournalFailure) in
            state.count += 1
            if extent != .unreachable { state.used = max(state.used, extent.input) }
            let content = Content(name: name, extent: extent, used: state.used)
            try write(Self.bytes(of: content, count: state.count), at: Int(state.count % 2) * Self.slot)
        }
    }

    /// Sees to it that what was written is on the disk.
    private func sync() throws(JournalFailure) {
        guard disk.sync(descriptor, path) == 0 else {
            throw JournalFailure(journal, .opening, .system(call: "fsync \(path)", code: errno))
        }
    }

    /// Writes bytes, unless there are none.
    private func write(_ bytes: [UInt8], at place: Int) throws(JournalFailure) {
        guard !bytes.isEmpty else { return }
        errno = 0
        guard disk.write(descriptor, path, bytes, place) != bytes.count else { return }
        throw JournalFailure(
            journal, .writing, .system(call: "write \(path)", code: errno == 0 ? ENOSPC : errno))
    }

    // MARK: - Slots

    /// The slots of a file that are as they were written.
    private static func slots(of path: String) -> [(count: UInt64, content: Content)] {
        guard let bytes = try? SystemFile.bytes(of: path, limit: 2 * slot) else { return [] }
        return [0, slot].compactMap { start in
            guard bytes.count >= start + used else { return nil }
            return content(of: bytes[start..<min(bytes.count, start + used + undoneBytes)])
        }
    }

    /// The bytes of a slot.
    private static func bytes(of content: Content, count: UInt64) -> [UInt8] {
        let extent = content.extent
        var rest: [UInt8] = []
        for number in [
            count, UInt64(bitPattern: extent.batch), extent.sequence, extent.input,
            UInt64(bitPattern: extent.epoch), UInt64(bitPattern: extent.generation), content.used,
        ] { rest.append(littleEndian: number) }
        let name = content.name.utf8.prefix(mostName)
        rest.append(UInt8(name.count))
        rest += name
        rest += repeatElement(0, count: mostName - name.count)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: Checksum.of(rest))
        return bytes + rest
    }

    /// The bytes after those of a slot; none where no opening was taken back.
    private static func undoneBytes(of content: Content) -> [UInt8] {
        guard content.undoneEpoch > 0 else { return [] }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(bitPattern: content.undoneEpoch))
        bytes.append(littleEndian: Checksum.of(bytes))
        return bytes
    }

    /// What the bytes of a slot say; nil for what was not written by a host.
    private static func content(of slot: ArraySlice<UInt8>) -> (count: UInt64, content: Content)? {
        let bytes = Array(slot)
        let rest = Array(bytes[8..<used])
        guard UInt32(littleEndian: bytes[0..<4]) == magic,
            UInt32(littleEndian: bytes[4..<8]) == Checksum.of(rest), rest[56] <= mostName
        else { return nil }
        let numbers = (0..<7).map { UInt64(littleEndian: rest[$0 * 8..<$0 * 8 + 8]) }
        let name = String(decoding: rest[57..<57 + Int(rest[56])], as: UTF8.self)
        let extent = JournalExtent(
            batch: Int64(bitPattern: numbers[1]), sequence: numbers[2], input: numbers[3],
            epoch: Int64(bitPattern: numbers[4]), generation: Int64(bitPattern: numbers[5]))
        guard extent == .unreachable || numbers[1...6].allSatisfy({ $0 <= JournalNumbers.limit }),
            numbers[0] <= JournalNumbers.limit
        else { return nil }
        return (
            numbers[0],
            Content(
                name: name, extent: extent, used: min(numbers[6], JournalNumbers.limit),
                undoneEpoch: undoneEpoch(of: bytes[used...]))
        )
    }

    /// What the bytes after those of a slot say; 0 where nothing was written there.
    private static func undoneEpoch(of extra: ArraySlice<UInt8>) -> Int64 {
        guard extra.count == Self.undoneBytes,
            UInt32(littleEndian: extra.suffix(4)) == Checksum.of(Array(extra.prefix(8)))
        else { return 0 }
        return Int64(min(UInt64(littleEndian: extra.prefix(8)), JournalNumbers.limit))
    }
}
