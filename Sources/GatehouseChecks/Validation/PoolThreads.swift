// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport

/// The threads of libdispatch in this process, on which tasks and dispatch queues of all instances run.
///
/// Tasks have as many as there are processors, queues some 250: code that waits on one keeps it from all other instances.
struct PoolThreads {
    /// Where the code is whose calls are looked for.
    private let code: Range<UInt>
    /// Where libdispatch is mapped.
    private let pool: [Range<UInt>]

    /// Prepares to look for calls of a library's code.
    ///
    /// - Parameter code: where the library is mapped.
    init(runningCodeIn code: Range<UInt>) {
        self.code = code
        let maps = (try? SystemFile.bytes(of: "/proc/self/maps", limit: 16 << 20)) ?? []
        pool = String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard line.contains("/libdispatch.so") else { return nil }
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
        }
    }

    /// The threads of the pool that sleep in a call from the code, by their id, with the address of the innermost such call.
    ///
    /// It interrupts them by a signal; a system call that cannot be restarted ends early.
    func waiting() -> [Int32: UInt64] {
        var found: [Int32: UInt64] = [:]
        for id in SystemFile.names(inFolder: "/proc/self/task").compactMap({ Int32($0) })
        where Self.isAsleep(id) {
            let calls = Self.calls(of: id)
            guard isOfPool(calls), let call = calls.first(where: { code.contains(UInt($0)) }) else {
                continue
            }
            found[id] = call
        }
        return found
    }

    /// Whether libdispatch has started the thread: no call around the outermost one of libdispatch is the library's.
    ///
    /// A thread of the library's own may call libdispatch, but begins in the library.
    private func isOfPool(_ calls: [UInt64]) -> Bool {
        guard let outermost = calls.lastIndex(where: { call in pool.contains { $0.contains(UInt(call)) } })
        else { return false }
        return !calls[outermost...].contains { code.contains(UInt($0)) }
    }

    /// Whether a thread waits for something other than the disk or a processor; the calling one does not.
    private static func isAsleep(_ id: Int32) -> Bool {
        guard let bytes = try? SystemFile.bytes(of: "/proc/self/task/\(id)/stat", limit: 4_096),
            // The name in parentheses may contain anything.
            let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.count
        else { return false }
        return bytes[end + 2] == UInt8(ascii: "S")
    }

    /// The addresses of a thread's calls, the innermost first; none where it does not answer within half a second.
    private static func calls(of id: Int32) -> [UInt64] {
        var addresses = [UInt64](repeating: 0, count: Int(GATEHOUSE_STACK_FRAMES))
        let count = unsafe gatehouse_stack_of_id(id, &addresses, addresses.count, 500)
        return Array(addresses.prefix(count))
    }
}
