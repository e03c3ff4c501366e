// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// The threads of the host that serve one instance of one process: one takes what it tells, another makes its connections.
///
/// Used on the thread that follows the process.
final class WorkerConnection {
    /// Leads to the instance.
    private let link: WorkerLink
    /// What it shares with the host.
    private let share: WorkerShare
    /// The number of its process.
    private let process: Int32
    /// The folder of its control group; nil for none of its own.
    private let groupFolder: String?
    /// What that writes about itself.
    private let flightRecorder: FlightRecorder
    /// Whether what it tells is taken.
    private var isAttached = false
    /// Signalled when nothing more of it is.
    private let reading = DispatchSemaphore(value: 0)
    /// Signalled when no connection is made any more; nil where none is granted.
    private let served: DispatchSemaphore?

    /// Begins to make the connections of a process that has just been started.
    init(_ link: WorkerLink, _ share: WorkerShare, of life: WorkerLife) {
        self.link = link
        self.share = share
        process = life.child.process
        groupFolder = life.groupFolder
        flightRecorder = life.flightRecorder
        link.isOver.store(false, ordering: .releasing)
        served = Self.serve(link, share.broker, process)
    }

    /// Makes the connections of an instance on another thread, until its process is over.
    private static func serve(_ link: WorkerLink, _ broker: NetworkBroker?, _ process: Int32)
        -> DispatchSemaphore?
    {
        guard let broker else { return nil }
        let done = DispatchSemaphore(value: 0)
        BackgroundThread.perform {
            if let lie = broker.serve(), !link.isOver.load(ordering: .acquiring) {
                link.object(toLie: "\(lie)", endingWith: process)
            }
            done.signal()
        }
        return done
    }

    /// Begins with a process that has mapped its memory, and takes what it tells on another thread until it is over; once.
    func attach() {
        guard !isAttached else { return }
        isAttached = true
        let (link, own, process, done) = (link, share.own, process, reading)
        let (flightRecorder, groupFolder) = (flightRecorder, groupFolder)
        do throws(RingFailure) {
            let other = try share.other()
            BackgroundThread.perform {
                link.take(own, other, from: process, in: groupFolder, flightRecorder)
                done.signal()
            }
        } catch {
            link.object(toLie: "\(error)", endingWith: process)
            done.signal()
        }
    }

    /// Waits until all that the process has told is taken, after the link knows that it is over.
    func close() {
        if isAttached { reading.wait() }
        share.broker?.end()
        served?.wait()
        link.traffic.withLock { $0.detach() }
    }
}
