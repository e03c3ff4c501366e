// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// The proof that no other host writes a journal: a lock on a file beside it, which goes with the process however it ends.
package final class JournalLock: Sendable {
    /// This opening of the file, which is what the lock belongs to; nil when it is let go of.
    private let descriptor: Mutex<Int32?>

    /// Takes the lock, and writes down which process has it.
    ///
    /// A second opening in the same process competes with the first like one in another.
    package init(folder: String) throws(JournalFailure) {
        let journal = folder + "/" + JournalSchema.fileName
        let path = folder + "/journal.lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JournalFailure(journal, .opening, .system(call: "open \(path)", code: errno))
        }
        guard Self.lock(descriptor) else {
            let holder = (try? SystemFile.bytes(of: path, limit: 32)).flatMap { bytes in
                Int(String(decoding: bytes, as: UTF8.self))
            }
            close(descriptor)
            throw JournalFailure(journal, .opening, .taken(process: holder))
        }
        // For people and the message of another host only.
        let process = Array("\(getpid())".utf8)
        _ = ftruncate(descriptor, 0)
        _ = unsafe pwrite(descriptor, process, process.count, 0)
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Lets the next host have the journal; once is enough.
    func release() {
        guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
        _ = gatehouse_lock_release(descriptor, 0)
        close(descriptor)
    }

    /// Locks the file; waits a little for one who has just died, of whom a child may be left for a moment.
    private static func lock(_ descriptor: Int32) -> Bool {
        for _ in 0..<20 {
            if gatehouse_lock_alone(descriptor, 0) == 0 { return true }
            usleep(25_000)
        }
        return gatehouse_lock_alone(descriptor, 0) == 0
    }
}
