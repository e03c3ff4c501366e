// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseManifest
internal import GatehouseSDK
private import Glibc
private import Synchronization

/// The memory in which a host keeps who does what with which action, for those who look at it when the process has died.
///
/// One host has it, and no other host. What runs is written by the drain through `RunProgress`; the names of instances, types,
/// inputs and images are entered here, from any thread.
///
/// `@unchecked Sendable`: the pointer is a constant and leads to mapped memory as long as the object lives. Its tables are written
/// under the lock. Everything else there is written by the drain as single words, and read as such.
@safe
public final class BlackBox: @unchecked Sendable {
    /// The memory, mapped as long as this lives.
    private let box: OpaquePointer
    /// The numbers of instances that are free again, and the first that was never given.
    private let numbers = Mutex((free: [Int](), next: 0))

    /// A box that nobody else sees, and that ends with the process.
    ///
    /// - Parameter descriptor: the file that the box is in, for others to look at; nil for memory of this process. The file has
    ///   at least `byteCount` bytes, all zero, and need not stay open.
    public init(in descriptor: Int32? = nil) {
        unsafe box = Self.map(descriptor)
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        unsafe gatehouse_box_open(
            box, Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, "\(SDKIdentity.current.sdkVersion)")
    }

    /// The box in a file that a host has written, or will write, to look at.
    public init(lookingAt descriptor: Int32) { unsafe box = Self.map(descriptor) }

    /// Maps a file, or memory of this process where there is no file or it cannot be mapped.
    private static func map(_ descriptor: Int32?) -> OpaquePointer {
        // Without a few pages of memory nothing works.
        guard
            let memory = unsafe gatehouse_box_map(descriptor ?? -1)
                ?? (descriptor == nil ? nil : gatehouse_box_map(-1))
        else { preconditionFailure("no memory is left for the black box") }
        return unsafe memory
    }

    deinit { unsafe gatehouse_box_unmap(box) }

    /// The size of the file that a box is in.
    public static var byteCount: Int { gatehouse_box_bytes() }

    /// Names this box to the handler of crashes of this process, which tells from it who has died; it stays as long as the process.
    public func watchCrashes() {
        _ = unsafe Unmanaged.passRetained(self)
        unsafe gatehouse_box_watch(box)
    }

    /// What the drain writes, a `gatehouse_box_drain`; valid as long as this lives.
    var drain: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(gatehouse_box_drain(box)) }

    /// What is known of the drain at this moment, from any thread; nil when it runs no plugin's code.
    public var activity: BoxAccount? { activity(isOver: false) }

    /// What the drain was doing when the process ended; nil when it ran no plugin's code.
    public var lastActivity: BoxAccount? { activity(isOver: true) }

    /// The same, as what is or as what was.
    private func activity(isOver: Bool) -> BoxAccount? {
        var account = gatehouse_account()
        unsafe gatehouse_box_read_drain(box, &account)
        account.is_over = isOver ? 1 : 0
        return BoxAccount(account)
    }

    /// The only plugin whose code can have run when the process ended, in the drain or in effects; nil when there was none, or several.
    public var suspect: BoxAccount? {
        var account = gatehouse_account()
        unsafe gatehouse_box_read_suspects(box, &account)
        return BoxAccount(account)
    }

    /// What the drain runs, as words that only say whether it is still the same: the work, 0 for none, and the number of the action.
    var call: (work: UInt64, sequence: UInt64) {
        let drain = unsafe gatehouse_box_drain(box)
        return unsafe (gatehouse_box_work(drain), gatehouse_box_sequence(drain))
    }

    /// The process whose host has the box; nil before there is one.
    public var process: Int32? {
        let process = unsafe gatehouse_box_process(box)
        return process > 0 ? process : nil
    }

    /// What the handler of crashes has left in the box; nil when it was not called.
    public var death: BoxAccount? {
        var account = gatehouse_account()
        return unsafe gatehouse_box_read_death(box, &account) ? BoxAccount(account) : nil
    }

    // MARK: - Names

    /// Enters an instance; returns its number, which is its own until it is left out again.
    func enter(_ id: String, plugin: String, digest: Digest?) -> Int {
        numbers.withLock { numbers in
            let number = numbers.free.popLast() ?? numbers.next
            if number == numbers.next { numbers.next += 1 }
            unsafe gatehouse_box_set_instance(box, UInt64(number), id, plugin, digest?.hex ?? "")
            return number
        }
    }

    /// Leaves out an instance that is gone.
    func leave(_ number: Int) {
        numbers.withLock { numbers in
            numbers.free.append(number)
            unsafe gatehouse_box_set_instance(box, UInt64(number), "", "", "")
        }
    }

    /// The id of the instance with a number; takes no lock, and must not be asked while the instance goes.
    func id(of number: Int) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(GATEHOUSE_NAME_BYTES) + 1) { id in
            guard let start = id.baseAddress else { return nil }
            unsafe gatehouse_box_instance_id(box, UInt64(number), start)
            let text = unsafe String(cString: start)
            return text.isEmpty ? nil : text
        }
    }

    /// Enters the name of a type at its place.
    func know(_ type: ActionType) {
        let name = type.name
        numbers.withLock { _ in unsafe gatehouse_box_set_type(box, UInt64(type.place), name) }
    }

    /// Enters the name of an input, by any line of it.
    ///
    /// - Parameter isReadAgain: whether the next run of the host reads the same lines from there once more.
    func know(_ input: ActionSource, isReadAgain: Bool) {
        let origin = unsafe unsafeBitCast(input, to: gatehouse_source.self).origin
        numbers.withLock { _ in
            // Nearly always it is there.
            guard unsafe !gatehouse_box_has_input(box, origin) else { return }
            unsafe gatehouse_box_set_input(box, origin, isReadAgain, input.file)
        }
    }

    /// Enters where a library is mapped.
    func know(_ image: LoadedImage, digest: Digest?) {
        guard let range = image.range else { return }
        numbers.withLock { _ in
            unsafe gatehouse_box_add_image(
                box, UInt64(range.lowerBound), UInt64(range.upperBound), image.note.manifest.id,
                digest?.hex ?? "")
        }
    }

    // MARK: - Implementation details

    /// The text in a C array; nil for an empty one.
    static func text<Array>(_ array: Array) -> String? {
        unsafe withUnsafeBytes(of: array) { bytes in
            let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }
}
