// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The process-wide table of action source origins and their numbers; grows up to a limit and never shrinks.
///
/// Callable from any thread. A place in code that recurs is recognised without a lock: its texts are literals, so comparing
/// them compares addresses.
final class OriginTable: Sendable {
    /// The file, function, info and emitter of a source.
    final class Origin: Hashable, Sendable {
        /// The file, as `ActionSource.file` gives it.
        let file: String
        /// The function, as `ActionSource.function` gives it.
        let function: String
        /// The free text, as `ActionSource.info` gives it.
        let info: String?
        /// The emitter, as `ActionSource.emitter` gives it.
        let emitter: String?
        /// The number that sources store.
        let number: UInt32

        /// An origin with its number.
        init(_ file: String, _ function: String, _ info: String?, _ emitter: String? = nil, number: UInt32) {
            self.file = file
            self.function = function
            self.info = info
            self.emitter = emitter
            self.number = number
        }

        /// Returns whether all texts are the given ones.
        func has(_ file: String, _ function: String, _ info: String?, _ emitter: String? = nil) -> Bool {
            self.file == file && self.function == function && self.info == info && self.emitter == emitter
        }

        static func == (lhs: Origin, rhs: Origin) -> Bool {
            lhs.has(rhs.file, rhs.function, rhs.info, rhs.emitter)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(file)
            hasher.combine(function)
            hasher.combine(info)
            hasher.combine(emitter)
        }
    }

    /// The state that the lock guards.
    private struct Entries {
        /// By number; the first represents all that came when there was no room.
        var byNumber = [Origin("(one of too many sources)", "", nil, number: 0)]
        /// The numbered origins, without the first one.
        var known: Set<Origin> = []

        /// Returns the origin with these texts, adding it if there is room; nil otherwise.
        mutating func origin(
            _ file: String, _ function: String, _ info: String?, _ emitter: String?, limit: Int
        ) -> Origin? {
            let wanted = Origin(file, function, info, emitter, number: UInt32(byNumber.count))
            if let index = known.firstIndex(of: wanted) { return known[index] }
            guard byNumber.count < limit else { return nil }
            byNumber.append(wanted)
            known.insert(wanted)
            return wanted
        }
    }

    /// The table of this process.
    static let shared = OriginTable(limit: 1 << 16)

    /// The maximum number of origins.
    private let limit: Int
    /// All origins that the process has seen; none is ever removed.
    private let entries = Lock(Entries())
    /// The most recent origin for some places in code; each is in `entries` too and lives forever.
    private let recent: RecentOrigins

    /// Creates a table with a limit.
    init(limit: Int) {
        self.limit = limit
        recent = RecentOrigins()
    }

    /// Returns the number of an origin; `line` is where it is used, and speeds up the search.
    func number(
        of file: String, _ function: String, _ info: String?, by emitter: String? = nil, near line: UInt
    ) -> UInt32 {
        let place = RecentOrigins.place(line, file.utf8.count, function.utf8.count)
        if let known = recent.origin(at: place, where: { $0.has(file, function, info, emitter) }) {
            return known
        }
        let origin = entries.withLock { entries in
            entries.origin(file, function, info, emitter, limit: limit)
                ?? entries.origin(file, function, nil, emitter, limit: limit)
                ?? entries.origin(file, function, nil, nil, limit: limit)
        }
        guard let origin else { return 0 }
        recent.keep(origin, at: place)
        return origin.number
    }

    /// The origin with a number from this table.
    subscript(number: UInt32) -> Origin {
        entries.withLock { $0.byNumber[Int(number)] }
    }
}

/// A small cache of origins, read and written without a lock.
///
/// `@unchecked Sendable`: the storage is a constant array of atomics, and the origins they point to are immutable and live
/// forever.
@safe
private final class RecentOrigins: @unchecked Sendable {
    /// The number of slots; a power of two.
    private static let count = 256
    /// Addresses of origins, 0 for none.
    private let slots: UnsafeMutablePointer<Atomic<UInt>>

    /// Creates an empty cache.
    init() {
        unsafe slots = .allocate(capacity: Self.count)
        for place in 0..<Self.count { unsafe (slots + place).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe slots.deinitialize(count: Self.count)
        unsafe slots.deallocate()
    }

    /// Returns the slot of an origin.
    static func place(_ line: UInt, _ file: Int, _ function: Int) -> Int {
        Int(truncatingIfNeeded: line &* 31 &+ UInt(file) &* 7 &+ UInt(function)) & (count - 1)
    }

    /// Returns the number of the origin in a slot, if it is the wanted one.
    func origin(at place: Int, where isWanted: (OriginTable.Origin) -> Bool) -> UInt32? {
        let address = unsafe slots[place].load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        return unsafe Unmanaged<OriginTable.Origin>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
            isWanted($0) ? $0.number : nil
        }
    }

    /// Stores an origin that lives forever in a slot.
    func keep(_ origin: OriginTable.Origin, at place: Int) {
        unsafe slots[place].store(
            UInt(bitPattern: Unmanaged.passUnretained(origin).toOpaque()), ordering: .releasing)
    }
}
