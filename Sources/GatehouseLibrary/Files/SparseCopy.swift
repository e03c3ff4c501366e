// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// The bytes of a file in memory, copied on demand.
///
/// A mapped file ends the process when somebody truncates it. Here each stretch is copied when it is first read, so the
/// memory is this process's own and a large file costs only what is read of it. Not thread-safe.
@safe
package final class SparseCopy: ByteLoading {
    /// The number of bytes of the file when it was opened.
    let count: Int
    /// Address space for the whole file; the system provides pages when they are written.
    private let memory: UnsafeMutableRawPointer?
    /// The file, which the caller owns.
    private let descriptor: Int32
    /// The numbers of the copied stretches; a sparse file may have more stretches than memory.
    private var loaded: Set<Int> = []
    /// The number of the stretch requested last, which is the most likely to be requested again.
    private var latest: Int?

    /// The size of a stretch in bytes.
    private static let stretch = 1 << 14

    /// Reserves address space for a file.
    ///
    /// - Parameter descriptor: of a plain file; the caller owns it and must keep it open while this is used.
    /// - Throws: when the system refuses the space.
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

    /// Lends the memory; parts that have not been loaded are zeros.
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
