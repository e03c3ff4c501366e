// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The process-wide table of action source origins and their numbers; grows up to a limit and never shrinks.
///
/// Callable from any thread. A place in code that recurs is recognised without a lock: its texts are literals, so comparing
/// them compares addresses.
final class OriginTable: Sendable {
    /// The file, function, info and emitter of a source, as `ActionSource` gives them.
    struct Texts: Hashable {
        /// The place in code.
        let file, function: String
        /// The remark and the emitter; nil for none.
        var info, emitter: String?

        /// The same without one of them.
        func without(_ text: WritableKeyPath<Texts, String?>) -> Texts {
            var texts = self
            texts[keyPath: text] = nil
            return texts
        }
    }

    /// The texts of a source, and the number that sources store.
    final class Origin: Sendable {
        /// What the source says about itself.
        let texts: Texts
        /// Its place in the table; never given again.
        let number: UInt32

        /// Keeps texts under their number.
        init(_ texts: Texts, number: UInt32) {
            self.texts = texts
            self.number = number
        }
    }

    /// The state that the lock guards.
    private struct Entries {
        /// By number; the first represents all that came when there was no room.
        var byNumber = [
            Origin(
                Texts(file: "(one of too many sources)", function: "", info: nil, emitter: nil), number: 0)
        ]
        /// The numbered origins, without the first one.
        var known: [Texts: Origin] = [:]

        /// Returns the origin with these texts, adding it if there is room; nil otherwise.
        mutating func origin(_ texts: Texts, limit: Int) -> Origin? {
            if let origin = known[texts] { return origin }
            guard byNumber.count < limit else { return nil }
            let origin = Origin(texts, number: UInt32(byNumber.count))
            byNumber.append(origin)
            known[texts] = origin
            return origin
        }
    }

    /// The table of this process.
    static let shared = OriginTable(limit: 1 << 16)

    /// The maximum number of origins.
    private let limit: Int
    /// All origins that the process has seen; none is ever removed.
    private let entries = Lock(Entries())
    /// The most recent origin for some places in code; each is in `entries` too and lives forever.
    private let recent = RecentOrigins()

    /// Creates a table with a limit.
    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the number of an origin; `line` is where it is used, and speeds up the search.
    func number(
        of file: String, _ function: String, _ info: String?, by emitter: String? = nil, near line: UInt
    ) -> UInt32 {
        let place = RecentOrigins.place(line, file.utf8.count, function.utf8.count)
        let texts = Texts(file: file, function: function, info: info, emitter: emitter)
        if let known = recent.origin(at: place, where: { $0.texts == texts }) { return known }
        let origin = entries.withLock { entries in
            entries.origin(texts, limit: limit)
                ?? entries.origin(texts.without(\.info), limit: limit)
                ?? entries.origin(texts.without(\.info).without(\.emitter), limit: limit)
        }
        guard let origin else { return 0 }
        recent.keep(origin, at: place)
        return origin.number
    }

    /// The texts with a number from this table.
    subscript(number: UInt32) -> Texts { entries.withLock { $0.byNumber[Int(number)].texts } }
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
