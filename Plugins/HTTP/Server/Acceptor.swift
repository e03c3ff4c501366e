// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
import Glibc
import Synchronization

/// Lets clients in, as long as the door is open.
///
/// The library could do it. But when it is to stop accepting while its threads run, one of them may let go of the socket at the same
/// moment, and the library then ends the process.
///
/// `@unchecked Sendable`: sources of Dispatch may be used by any thread; nothing here changes.
final class Acceptor: @unchecked Sendable {
    /// The socket, which belongs to the run.
    private let listener: BorrowedListener
    /// Where clients are let in, one after the other.
    private let queue = DispatchQueue(label: "gatehouse.http")
    /// Tells when one waits.
    private let source: any DispatchSourceRead
    /// Signalled when the socket is not looked at any more.
    private let end = DispatchSemaphore(value: 0)
    /// Whether who comes is left to wait in the kernel.
    private let isStopped = StopFlag()

    /// A flag that the queue looks at before each client.
    private final class StopFlag: Sendable {
        /// The flag.
        let isSet = Atomic(false)
    }

    /// Lets clients in that come to a socket.
    ///
    /// - Parameter admit: lets one in; gives 0, or the number of an error, EAGAIN where none waits.
    init(at listener: BorrowedListener, admit: @escaping @Sendable () -> Int32) {
        self.listener = listener
        let source = DispatchSource.makeReadSource(fileDescriptor: listener.descriptor, queue: queue)
        source.setEventHandler { [isStopped] in
            while !isStopped.isSet.load(ordering: .acquiring) {
                switch admit() {
                case 0, EINTR, ECONNABORTED: continue
                case EAGAIN: return
                default:
                    // There is no descriptor left: who waits, waits until there is one.
                    usleep(100_000)
                    return
                }
            }
        }
        source.setCancelHandler { [end] in end.signal() }
        self.source = source
        source.activate()
    }

    /// Lets nobody in who is not on the way in already, and gives the socket back when those are in. Called once, and not by `admit`.
    ///
    /// Others wait in the kernel, for whoever accepts them next.
    ///
    /// - Parameter hurry: called when nobody else sets out; lets those on the way wait for nothing any more.
    func close(_ hurry: () -> Void) {
        isStopped.isSet.store(true, ordering: .releasing)
        hurry()
        source.cancel()
        end.wait()
        listener.giveBack()
    }
}
