// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Dispatch
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// The worker's side of `WorkerGroup`: makes the instances of a process one after the other, and then runs their sessions, each on a
/// thread of its own.
///
/// No session begins before the last instance is made, because the process gives up the right to map code in between.
package final class WorkerProcess: Sendable {
    /// What a session and the host have in common: the memory of a ring in each direction.
    private struct Ring: Sendable {
        /// What the session writes, and what the host does.
        let (own, other): (RingMemory, RingMemory)

        /// Maps the files of a member.
        init(of member: WorkerRequest.Member, capacity: Int) throws(RingFailure) {
            own = try RingMemory(own: RingFile(inheriting: member.own, capacity: capacity))
            other = try RingMemory(other: RingFile(inheriting: member.other, capacity: capacity))
        }
    }

    /// What is to be run.
    private let request: WorkerRequest
    /// Where the host listens.
    private let host: ChildEventWriter
    /// What the sessions are doing, as the host reads it.
    private let flightRecorder: FlightRecorder
    /// The libraries so far.
    private let images = WorkerImages()
    /// Signalled when an instance is made, or refused.
    private let isMade = DispatchSemaphore(value: 0)
    /// Signalled for each session that may begin.
    private let mayBegin = DispatchSemaphore(value: 0)
    /// Signalled when a session has ended, which only one does whose instance was refused.
    private let hasEnded = DispatchSemaphore(value: 0)
    /// Why the process could not give up the right to map code; set before sessions begin.
    private let failure = Mutex<ChildFailure?>(nil)

    /// Runs what standard input asks for, and ends the process with it.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        guard let request = WorkerRequest(bytes: ChildRequest.bytes()), !request.members.isEmpty else {
            _exit(EX_DATAERR)
        }
        let host = ChildEventWriter(descriptor: descriptor)
        let rings: [Ring]
        do {
            rings = try request.members.map { try Ring(of: $0, capacity: request.capacity) }
        } catch {
            fail(request.members[0], error)
        }
        host.tell(WorkerStep.mapped)
        WorkerProcess(request, host).run(rings)
        _exit(EXIT_SUCCESS)
    }

    /// Makes the process ready to say how it dies, and waits for a debugger where one is wanted.
    private init(_ request: WorkerRequest, _ host: ChildEventWriter) {
        self.request = request
        self.host = host
        flightRecorder = FlightRecorder(in: request.flightRecorder)
        flightRecorder.watchCrashes()
        gatehouse_tell_crashes()
        gatehouse_tell_calls()
        if request.isDebugged { gatehouse_wait_for_tracer() }
    }

    /// Runs all sessions, the last one on this thread; returns when all instances were refused.
    private func run(_ rings: [Ring]) {
        let last = request.members.count - 1
        for index in 0..<last {
            BackgroundThread.perform { [self] in
                run(index, rings[index]) {
                    isMade.signal()
                    mayBegin.wait()
                }
                hasEnded.signal()
            }
            isMade.wait()
        }
        run(last, rings[last]) {
            do throws(ChildFailure) {
                try Confinement.closeCode()
            } catch {
                failure.withLock { $0 = error }
            }
            host.tell(WorkerStep.made.line)
            for _ in 0..<last { mayBegin.signal() }
        }
        for _ in 0..<last { hasEnded.wait() }
    }

    /// Runs the session of a member until the process ends; returns where its instance is refused.
    ///
    /// - Parameter wait: called once it is made or refused; returns when sessions may begin.
    private func run(_ index: Int, _ ring: Ring, whenMade wait: () -> Void) {
        let member = request.members[index]
        host.tell(WorkerStep.making(index).line)
        // A process of one instance is like a host of one store.
        let progress = RunProgress(in: flightRecorder, partition: request.members.count == 1 ? nil : index)
        do {
            let session = try WorkerSession(
                member, images, progress, RingWriter(own: ring.own, other: ring.other),
                RingReader(own: ring.own, other: ring.other))
            wait()
            if let failure = failure.withLock({ $0 }) {
                try session?.refuse("its worker cannot be confined: \(failure.call): \(failure.reason)")
            } else {
                try session?.run()
            }
        } catch {
            Self.fail(member, error)
        }
    }

    /// Ends the process: its host does not speak as hosts do, or the instance has a state that nobody can take over.
    private static func fail(_ member: WorkerRequest.Member, _ error: any Error) -> Never {
        let sentence =
            error is CodingFailure
            ? "the state of \(member.id) cannot be written as JSON: \(error)"
            : "the worker of \(member.id) does not understand its host: \(error)"
        ChildEventWriter(descriptor: STDERR_FILENO).tell("gatehouse: \(sentence)")
        _exit(error is CodingFailure ? EX_SOFTWARE : EX_PROTOCOL)
    }
}
