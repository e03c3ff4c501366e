// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
import Glibc
import Synchronization

/// Accepts clients while the server is open.
///
/// The library could do it. But when it should stop accepting while its threads run, one of them may release the socket at the
/// same moment, and the library then ends the process.
///
/// `@unchecked Sendable`: sources of Dispatch may be used by any thread; nothing here changes but the flag, which is atomic.
final class Acceptor: @unchecked Sendable {
    /// The socket, which belongs to the run.
    private let listener: BorrowedListener
    /// The queue that accepts clients, one after the other.
    private let queue = DispatchQueue(label: "gatehouse.http")
    /// Fires when a client waits.
    private let source: any DispatchSourceRead
    /// Signalled when the socket is not watched any more.
    private let end = DispatchSemaphore(value: 0)
    /// Whether clients are left to wait in the kernel.
    private let isStopped = Atomic(false)

    /// Accepts clients at a socket.
    ///
    /// - Parameter admit: accepts one; returns 0, or the number of an error, EAGAIN where none waits.
    init(at listener: BorrowedListener, admit: @escaping @Sendable () -> Int32) {
        self.listener = listener
        source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: queue)
        // The source lets go of this once it is cancelled.
        source.setEventHandler { [self] in
            while !isStopped.load(ordering: .acquiring) {
                switch admit() {
                case 0, EINTR, ECONNABORTED: continue
                case EAGAIN: return
                default:
                    // Out of descriptors: clients wait until one is free.
                    usleep(100_000)
                    return
                }
            }
        }
        source.setCancelHandler { [end] in end.signal() }
        source.activate()
    }

    /// Accepts only clients already on the way in, and then gives the socket back. Called once, and not by `admit`.
    ///
    /// Others wait in the kernel, for the next process or instance that accepts them.
    ///
    /// - Parameter hurry: called when no further client starts; makes those on the way stop waiting.
    func close(_ hurry: () -> Void) {
        isStopped.store(true, ordering: .releasing)
        hurry()
        source.cancel()
        end.wait()
        listener.giveBack()
    }
}
