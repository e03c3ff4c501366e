// SPDX-License-Identifier: Apache-2.0

private import GatehouseSDK
private import Synchronization

/// How far a run is, for who cannot wait for its turn: a signal that ends everything, a plugin that ends the process.
///
/// Each number is written by one thread at a time, so that counting is a plain load and store.
public final class RunProgress: Sendable {
    /// Lines of input, blank ones included.
    private let lineCount = Atomic(0)
    /// Lines that are no action.
    private let rejectedCount = Atomic(0)
    /// Actions that were processed, those that instances emitted included.
    private let actionCount = Atomic(0)
    /// The address of the instance whose code the drain runs; 0 for none.
    private let running = Atomic<UInt>(0)

    /// The progress of a run in which nothing has happened.
    init() {}

    /// Lines of input, blank ones included.
    public var lines: Int { lineCount.load(ordering: .relaxed) }
    /// Lines that are no action.
    public var rejected: Int { rejectedCount.load(ordering: .relaxed) }
    /// Actions that were processed, those that instances emitted included.
    public var actions: Int { actionCount.load(ordering: .relaxed) }

    /// Takes note of how far the input was read.
    @inline(__always)
    func note(lines: Int, rejected: Int) {
        lineCount.store(lines, ordering: .relaxed)
        rejectedCount.store(rejected, ordering: .relaxed)
    }

    /// Counts one more action, and gives its number; called in the drain.
    @inline(__always)
    func countAction() -> Int {
        let number = actionCount.load(ordering: .relaxed) &+ 1
        actionCount.store(number, ordering: .relaxed)
        return number
    }

    /// Takes note of whose code runs from here on; called in the drain.
    @inline(__always)
    func enter(_ instance: Unmanaged<Instance>) {
        running.store(unsafe UInt(bitPattern: instance.toOpaque()), ordering: .relaxed)
    }

    /// Takes note that no plugin's code runs; called in the drain.
    @inline(__always)
    func leave() { running.store(0, ordering: .relaxed) }

    /// The address of the instance whose code runs, 0 for none; only to be compared.
    var addressInHand: UInt { running.load(ordering: .relaxed) }

    /// The id of the instance whose code runs, nil for none; to be asked on the thread that drains only.
    var instanceInHand: String? {
        guard let address = unsafe UnsafeRawPointer(bitPattern: running.load(ordering: .relaxed)) else {
            return nil
        }
        // The generation in the drain holds its instances.
        return unsafe Unmanaged<Instance>.fromOpaque(address).takeUnretainedValue().id
    }
}

/// Work that an instance had not done when the time for it was over.
public struct UnfinishedWork: Equatable, Sendable {
    /// The id of the instance; nil for actions that interceptors delayed.
    public let instance: String?
    /// How many effects, or actions; 1 or more.
    public let count: Int
}
