// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseLibrary
package import GatehouseManifest
package import GatehouseSDK
package import GatehouseSupport
private import Glibc
private import Synchronization

/// The memory in which a process keeps who does what with which action, for those who look at it when the process has died.
///
/// One host has it, with the stores of its partitions where it is a member of a cluster. What runs is written by the drain of each
/// store through `RunProgress`; the names of instances, types, inputs and images are entered here, from any thread.
///
/// `@unchecked Sendable`: the pointer is a constant and leads to mapped memory as long as the object lives. Its tables are written
/// under the lock. Everything else there is written by a drain as single words, and read as such.
@safe
package final class FlightRecorder: @unchecked Sendable {
    /// The memory, mapped as long as this lives.
    private let recorder: OpaquePointer
    /// Whether there is room for records of partitions.
    private let hasPartitions: Bool
    /// The instances that are known. The lock guards all tables.
    private let instances = Mutex(RecordedInstances())

    /// A flight recorder of one store that nobody else sees.
    package convenience init() { self.init(nil, hasPartitions: false) }

    /// A flight recorder with room for partitions, of which only those pages are there that were written.
    ///
    /// - Parameter descriptor: the file that the flight recorder is in, for others to look at; nil for memory of this process. The file has
    ///   at least `byteCount` bytes, all zero, and need not stay open.
    package convenience init(in descriptor: Int32?) { self.init(descriptor, hasPartitions: true) }

    /// A flight recorder in which nothing has happened.
    private init(_ descriptor: Int32?, hasPartitions: Bool) {
        self.hasPartitions = hasPartitions
        unsafe recorder = Self.map(descriptor, hasPartitions)
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        unsafe gatehouse_recorder_open(
            recorder, Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, "\(SDKIdentity.current.sdkVersion)")
    }

    /// The flight recorder in a file that a host has written, or will write, to look at.
    package init(lookingAt descriptor: Int32) {
        hasPartitions = true
        unsafe recorder = Self.map(descriptor, true)
    }

    /// Maps a file, or memory of this process where there is no file or it cannot be mapped.
    private static func map(_ descriptor: Int32?, _ hasPartitions: Bool) -> OpaquePointer {
        // Without a few pages of memory nothing works.
        guard
            let memory = unsafe gatehouse_recorder_map(descriptor ?? -1, hasPartitions)
                ?? (descriptor == nil ? nil : gatehouse_recorder_map(-1, hasPartitions))
        else { preconditionFailure("no memory is left for the flight recorder") }
        return unsafe memory
    }

    deinit { unsafe gatehouse_recorder_unmap(recorder, hasPartitions) }

    /// The size of the file that a flight recorder is in, most of which is never written.
    package static var byteCount: Int { gatehouse_recorder_bytes(true) }

    /// Creates a file in memory for the flight recorder of another process, whose size that cannot change; the caller closes it.
    package static func makeFile() throws(SystemFailure) -> Int32 {
        try MemoryFile.make("flight recorder", size: byteCount)
    }

    /// Names this flight recorder to the handler of crashes of this process, which tells from it who has died; it stays as long as the process.
    package func watchCrashes() {
        _ = unsafe Unmanaged.passRetained(self)
        unsafe gatehouse_recorder_watch(recorder)
    }

    // MARK: - What runs

    /// What the drain of the host itself writes, a `gatehouse_recorder_drain`; valid as long as this lives.
    package var drain: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(gatehouse_recorder_drain(recorder))
    }

    /// What the drain of a partition writes, until it is taken back.
    ///
    /// There is one for each of 1,024 partitions at a time; of those beyond, nothing is known to others.
    func lend(toPartition number: Int) -> UnsafeMutableRawPointer {
        let drain = unsafe instances.withLock { _ in
            unsafe UnsafeMutableRawPointer(gatehouse_recorder_lend(recorder, hasPartitions, UInt32(number)))
        }
        guard let drain = unsafe drain else { preconditionFailure("no memory is left for a partition") }
        return unsafe drain
    }

    /// Takes back what was lent; nothing is written there any more.
    package func takeBack(_ drain: UnsafeMutableRawPointer) {
        instances.withLock { _ in
            unsafe gatehouse_recorder_take_back(
                recorder, hasPartitions, drain.assumingMemoryBound(to: gatehouse_recorder_drain.self))
        }
    }

    /// The calls of plugins' code that drains are in at this moment, the host's own first; from any thread.
    package var calls: [RecordedCall] {
        (0..<UInt32(GATEHOUSE_RECORDER_DRAINS)).compactMap { number in
            guard let drain = unsafe gatehouse_recorder_drain_at(recorder, number) else { return nil }
            let work = unsafe gatehouse_recorder_work(drain)
            guard work != 0 else { return nil }
            let partition = unsafe gatehouse_recorder_partition_at(recorder, number)
            return RecordedCall(
                drain: Int(number), partition: partition < 0 ? nil : Int(partition), work: work,
                sequence: unsafe gatehouse_recorder_sequence(drain))
        }
    }

    /// How many actions the host's own store has begun in this run, and the last of them.
    package var actions: Int {
        Int(truncatingIfNeeded: unsafe gatehouse_recorder_count(gatehouse_recorder_drain(recorder)))
    }

    /// Whether a drain runs a plugin's code at this moment.
    package var isBusy: Bool { !calls.isEmpty }

    /// What is known of a call at this moment, from any thread; nil when its drain runs no plugin's code.
    ///
    /// - Parameter isOver: whether it is described in the past tense.
    package func activity(of call: RecordedCall, isOver: Bool = false) -> FlightRecord? {
        activity(ofDrain: UInt32(call.drain), isOver: isOver)
    }

    /// What is known of the only drain that runs a plugin's code at this moment, from any thread; nil for none, or for one of several.
    package var activity: FlightRecord? {
        activity(ofDrain: unsafe gatehouse_recorder_only_drain(recorder), isOver: false)
    }

    /// What the only drain was doing that ran a plugin's code when the process ended; nil for none, or for one of several.
    package var lastActivity: FlightRecord? {
        activity(ofDrain: unsafe gatehouse_recorder_only_drain(recorder), isOver: true)
    }

    /// What the drain of a partition was doing when the process ended; nil for nothing, and for a partition without a record.
    package func lastActivity(ofPartition partition: Int) -> FlightRecord? {
        (1..<UInt32(GATEHOUSE_RECORDER_DRAINS)).first {
            unsafe gatehouse_recorder_partition_at(recorder, $0) == Int64(partition)
        }.flatMap { activity(ofDrain: $0, isOver: true) }
    }

    /// What is known of a drain, as what is or as what was.
    private func activity(ofDrain number: UInt32, isOver: Bool) -> FlightRecord? {
        var account = gatehouse_account()
        unsafe gatehouse_recorder_read_drain(recorder, number, &account)
        account.is_over = isOver ? 1 : 0
        return FlightRecord(account)
    }

    /// The stack of the thread that is in a call of a plugin's code, the innermost call first, as lines for people: at most 16, down to the
    /// outermost call of a plugin. Empty where the thread does not answer within half a second. One thread may ask at a time.
    ///
    /// It interrupts the thread by a signal and takes no lock that the thread may hold.
    package func stack(of call: RecordedCall) -> [String] {
        guard let drain = unsafe gatehouse_recorder_drain_at(recorder, UInt32(call.drain)) else { return [] }
        var addresses = [UInt64](repeating: 0, count: Int(GATEHOUSE_STACK_FRAMES))
        let thread = unsafe gatehouse_recorder_thread_of(drain)
        let count = unsafe gatehouse_stack_of(thread, &addresses, addresses.count, 500)
        return CodePlace.lines(
            of: addresses.prefix(count).compactMap { address in
                let image = unsafe gatehouse_recorder_image_at(recorder, address)
                return CodePlace(of: address, isPlugin: image != UInt64(GATEHOUSE_RECORDER_IMAGES))
            })
    }

    /// The instance whose code the calling thread runs in the drain of a store, as people name it; nil for none. Takes no lock.
    package var instanceHere: String? {
        let number = unsafe gatehouse_recorder_drain_here(recorder)
        guard let drain = unsafe gatehouse_recorder_drain_at(recorder, number),
            let id = id(of: Int(unsafe gatehouse_recorder_work(drain) >> 8))
        else { return nil }
        let partition = unsafe gatehouse_recorder_partition_at(recorder, number)
        return partition < 0 ? id : "\(id) in partition \(partition)"
    }

    /// The only plugin whose code can have run when the process ended, in drains or in effects; nil when there was none, or several.
    package var suspect: FlightRecord? {
        var account = gatehouse_account()
        unsafe gatehouse_recorder_read_suspects(recorder, &account)
        return FlightRecord(account)
    }

    /// The process whose host has the flight recorder; nil before there is one.
    package var process: Int32? {
        let process = unsafe gatehouse_recorder_process(recorder)
        return process > 0 ? process : nil
    }

    /// What the handler of crashes has left in the flight recorder; nil when it was not called.
    package var death: FlightRecord? {
        var account = gatehouse_account()
        return unsafe gatehouse_recorder_read_death(recorder, &account) ? FlightRecord(account) : nil
    }

    /// Whether the process is dying, as its handler of crashes has reported; safe to ask while it writes there.
    package var isDying: Bool { unsafe gatehouse_recorder_is_dying(recorder) }

    // MARK: - The end

    /// The exit code with which the host wanted to end; nil where it has not said so.
    package var announcedEnd: Int32? {
        let code = unsafe gatehouse_recorder_announced_end(recorder)
        return code < 0 ? nil : code
    }

    /// Whether somebody has asked the host to end.
    package var isStopping: Bool { unsafe gatehouse_recorder_is_stopping(recorder) }

    /// Takes note that somebody has asked the host to end.
    package func noteStop() { unsafe gatehouse_recorder_note_stop(recorder) }

    /// How often a supervisor had started the host before this time; set by the supervisor.
    package var restarts: Int {
        get { Int(unsafe gatehouse_recorder_restarts(recorder)) }
        set { unsafe gatehouse_recorder_set_restarts(recorder, UInt32(clamping: newValue)) }
    }

    // MARK: - Signs of life

    /// Asks for one more sign of each kind; gives the number of the question. Called by one thread.
    package func ask() -> UInt64 { unsafe gatehouse_recorder_ask(recorder) }

    /// The event loop has come to a question.
    package func signLoop(_ question: UInt64) { unsafe gatehouse_recorder_sign_loop(recorder, question) }

    /// The threads that all tasks share have come to a question.
    package func signPool(_ question: UInt64) { unsafe gatehouse_recorder_sign_pool(recorder, question) }

    /// Takes note of work that takes at most so long before it comes back; gives what ends it. Callable from any thread.
    func beginLongWork(_ limit: Duration) -> @Sendable () -> Void {
        let work = unsafe gatehouse_recorder_begin_long_work(recorder, UInt64(limit / .nanoseconds(1)))
        return { [self] in unsafe gatehouse_recorder_end_long_work(recorder, work) }
    }

    /// Whether work continues that was announced to take long, and whose time is not over.
    package var hasLongWork: Bool { unsafe gatehouse_recorder_has_long_work(recorder) }

    /// The last question, and the last ones that were answered.
    package var signs: RecordedSigns {
        let signs = unsafe gatehouse_recorder_signs(recorder)
        return RecordedSigns(asked: signs.asked, loop: signs.loop, pool: signs.pool)
    }

    /// The ids of the instances with effects whose work has begun and not ended.
    package var busyInstances: [String] {
        var numbers = [UInt64](repeating: 0, count: 64)
        let count = unsafe gatehouse_recorder_busy_instances(recorder, &numbers, numbers.count)
        return numbers.prefix(count).compactMap { id(of: Int($0)) }
    }

    // MARK: - Names

    /// Enters an instance; returns its number, which it shares with those of other stores that are the same use of the same bytes, until
    /// it is left out again.
    ///
    /// - Parameter digest: names the bytes, in hexadecimal; nil for a plugin that is linked in.
    package func enter(_ id: String, plugin: String, digest: String?, isInPartition: Bool = false) -> Int {
        let instance = RecordedInstances.Instance(
            id: id, plugin: plugin, digest: digest ?? "", isInPartition: isInPartition)
        return instances.withLock { instances in
            let (number, isNew) = instances.enter(instance)
            if isNew {
                unsafe gatehouse_recorder_set_instance(
                    recorder, UInt64(number), id, plugin, instance.digest, isInPartition)
            }
            return number
        }
    }

    /// Leaves out an instance that is gone.
    package func leave(_ number: Int) {
        instances.withLock { instances in
            guard instances.leave(number) else { return }
            unsafe gatehouse_recorder_set_instance(recorder, UInt64(number), "", "", "", false)
        }
    }

    /// The id of the instance with a number; takes no lock, and must not be asked while the instance goes.
    package func id(of number: Int) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(GATEHOUSE_NAME_BYTES) + 1) { id in
            guard let start = id.baseAddress else { return nil }
            unsafe gatehouse_recorder_instance_id(recorder, UInt64(number), start)
            let text = unsafe String(cString: start)
            return text.isEmpty ? nil : text
        }
    }

    /// Enters the name of a type at its place.
    package func know(_ type: ActionType) {
        let name = type.name
        instances.withLock { _ in unsafe gatehouse_recorder_set_type(recorder, UInt64(type.place), name) }
    }

    /// Enters the name of an input, by any line of it.
    ///
    /// - Parameter isReadAgain: whether the next run of the host reads the same lines from there once more.
    package func know(_ input: ActionSource, isReadAgain: Bool) {
        let origin = unsafe unsafeBitCast(input, to: gatehouse_source.self).origin
        instances.withLock { _ in
            // Nearly always it is there.
            guard unsafe !gatehouse_recorder_has_input(recorder, origin) else { return }
            unsafe gatehouse_recorder_set_input(recorder, origin, isReadAgain, input.file)
        }
    }

    /// Enters where a library is mapped.
    package func know(_ image: LoadedImage, digest: Digest?) {
        guard let range = image.range else { return }
        instances.withLock { _ in
            unsafe gatehouse_recorder_add_image(
                recorder, UInt64(range.lowerBound), UInt64(range.upperBound), image.note.manifest.id,
                digest?.hex ?? "")
        }
    }

    // MARK: - Implementation details

    /// The text in a C array; nil for an empty one.
    package static func text<Array>(_ array: Array) -> String? {
        unsafe withUnsafeBytes(of: array) { bytes in
            let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }
}
