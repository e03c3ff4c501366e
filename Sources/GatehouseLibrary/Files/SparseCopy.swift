// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// The bytes of a file in memory, as far as somebody has asked for them.
///
/// A file that is mapped ends the process when somebody shortens it. Here each stretch is copied when it is first read, so
/// that the memory is this process's own and a large file costs only what is read of it. Not thread-safe.
@safe
package final class SparseCopy: ByteLoading {
    /// The number of bytes of the file when it was opened.
    let count: Int
    /// Room for the whole file, of which the system gives pages when they are written.
    private let memory: UnsafeMutableRawPointer?
    /// The file, which stays the caller's.
    private let descriptor: Int32
    /// The numbers of the stretches that have been copied; a file may have more of them than fit into memory.
    private var loaded: Set<Int> = []
    /// The number of the stretch that was asked for last, which is most often asked for again.
    private var latest: Int?

    /// The size of a stretch in bytes.
    private static let stretch = 1 << 14

    /// Makes room for a file.
    ///
    /// - Parameter descriptor: of a plain file; stays the caller's, and must stay open as long as this is used.
    /// - Throws: when the system does not give the room.
    init(descriptor: Int32, count: Int, path: String) throws(LibraryFileError) {
        self.descriptor = descriptor
        self.count = count
        guard count > 0 else {
            unsafe memory = nil
            return
        }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0),
            unsafe start != MAP_FAILED
        else { throw .system(path: path, call: "mmap", reason: SystemReason.last) }
        unsafe memory = start
    }

    deinit { if let memory = unsafe memory { unsafe munmap(memory, count) } }

    /// Lends the memory; what has not been loaded is zeros.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    package func load(_ range: Range<Int>) {
        guard !range.isEmpty, let memory = unsafe memory else { return }
        for number in range.lowerBound / Self.stretch...(range.upperBound - 1) / Self.stretch
        where number != latest {
            latest = number
            guard loaded.insert(number).inserted else { continue }
            var position = number * Self.stretch
            let end = min(position + Self.stretch, count)
            while position < end {
                let read = unsafe pread(descriptor, memory + position, end - position, off_t(position))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                position += read
            }
        }
    }
}
