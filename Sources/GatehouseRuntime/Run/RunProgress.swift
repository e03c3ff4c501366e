// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseSDK
private import Synchronization

/// How far a run is, for who cannot wait for its turn: a signal that ends everything, a plugin that ends the process, and through the
/// flight recorder those who look at it afterwards.
///
/// Each number is written by one thread at a time, so that counting is a plain load and store.
@safe
package final class RunProgress: Sendable {
    /// Lines of input, blank ones included.
    private let lineCount = Atomic(0)
    /// Lines that are no action.
    private let rejectedCount = Atomic(0)
    /// Where all of this is kept for others, with the names of what the numbers stand for.
    package let flightRecorder: FlightRecorder
    /// The partition whose store it is; nil for a host's own.
    package let partition: Int?
    /// What the drain writes; it lives as long as this, and each word is written by the drain alone.
    private nonisolated(unsafe) let drain: UnsafeMutablePointer<gatehouse_recorder_drain>

    /// The progress of a run in which nothing has happened, kept in a flight recorder.
    ///
    /// - Parameter partition: the partition whose store runs; nil for a host's own.
    package init(in flightRecorder: FlightRecorder = FlightRecorder(), partition: Int? = nil) {
        self.flightRecorder = flightRecorder
        self.partition = partition
        let drain =
            unsafe partition.map { unsafe flightRecorder.lend(toPartition: $0) } ?? flightRecorder.drain
        unsafe self.drain = unsafe drain.assumingMemoryBound(to: gatehouse_recorder_drain.self)
    }

    /// Whoever may still write holds this: instances, and the logs of their effects.
    deinit { if partition != nil { unsafe flightRecorder.takeBack(UnsafeMutableRawPointer(drain)) } }

    /// Lines of input, blank ones included.
    package var lines: Int { lineCount.load(ordering: .relaxed) }
    /// Lines that are no action.
    package var rejected: Int { rejectedCount.load(ordering: .relaxed) }
    /// Actions that were processed, those that instances emitted included.
    package var actions: Int { Int(truncatingIfNeeded: unsafe gatehouse_recorder_count(drain)) }

    /// Takes note of how far the input was read.
    @inline(__always)
    package func note(lines: Int, rejected: Int) {
        lineCount.store(lines, ordering: .relaxed)
        rejectedCount.store(rejected, ordering: .relaxed)
    }

    /// Counts one more action, and says how many there are; called in the drain.
    @inline(__always)
    func countAction() -> Int { Int(truncatingIfNeeded: unsafe gatehouse_recorder_count_one(drain)) }

    /// Takes an action in hand, under the number by which causes name it, and returns that; called in the drain.
    @discardableResult
    @inline(__always)
    package func begin(_ number: UInt64, _ type: ActionType, from source: ActionSource) -> UInt64 {
        // Both are a line and two numbers, in this order.
        let source = unsafe unsafeBitCast(source, to: gatehouse_source.self)
        unsafe gatehouse_recorder_begin(drain, number, UInt64(type.place), source)
        return number
    }

    /// Takes note of the input of a journal that the action in hand goes back to; called in the drain.
    ///
    /// - Parameter number: the number of the input; 0 for none.
    @inline(__always)
    package func note(input number: UInt64) { unsafe gatehouse_recorder_set_root(drain, number) }

    /// Takes note of the action that interceptors decide about; called in the drain.
    ///
    /// - Parameter input: the input of a journal that it goes back to.
    func beginInterception(_ type: ActionType, from source: ActionSource, input: UInt64?) {
        let source = unsafe unsafeBitCast(source, to: gatehouse_source.self)
        unsafe gatehouse_recorder_intercept(drain, UInt64(type.place), source, input ?? 0)
    }

    /// Takes note of an effect of an instance that begins, after the action with a number, 0 for none; called in the drain.
    ///
    /// - Returns: its place in the flight recorder; 0 where there is none left.
    func beginEffect(of instance: UInt64, after number: UInt64) -> UInt64 {
        UInt64(unsafe gatehouse_recorder_begin_effect(drain, instance, number))
    }

    /// Takes note that the work of an effect begins in the current task; from any thread, as the next.
    func beginWork(ofEffectAt place: UInt64) {
        unsafe gatehouse_recorder_begin_work(drain, UInt32(truncatingIfNeeded: place))
    }

    /// Takes note that what runs next is the effect at a place, which another action has begun; called in the drain.
    package func show(effectAt place: UInt64) {
        unsafe gatehouse_recorder_show_effect(drain, UInt32(truncatingIfNeeded: place))
    }

    /// Takes note that an effect has ended.
    func endEffect(at place: UInt64) {
        unsafe gatehouse_recorder_end_effect(drain, UInt32(truncatingIfNeeded: place))
    }

    /// Takes note that the calling thread has the right to drain; called in the drain.
    @inline(__always)
    package func take() { unsafe gatehouse_recorder_take(drain) }

    /// Takes note of whose code runs from here on, and what for; called in the drain.
    @inline(__always)
    package func enter(_ step: PluginStep, of instance: Instance) {
        unsafe gatehouse_recorder_enter(drain, instance.mark | step.rawValue)
    }

    /// Takes note that no plugin's code runs; called in the drain.
    @inline(__always)
    package func leave() { unsafe gatehouse_recorder_enter(drain, 0) }

    /// Takes note of whose code runs while a closure does, and then that what ran before goes on; called in the drain.
    package func during<Result, Failure: Error>(
        _ step: PluginStep, of instance: Instance, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try during(step, of: instance.mark, body)
    }

    /// The same, for an instance by its mark.
    package func during<Result, Failure: Error>(
        _ step: PluginStep, of mark: UInt64, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = work
        resume(mark | step.rawValue)
        defer { resume(before) }
        return try body()
    }

    /// Takes note that what ran at some moment goes on; `work` is as it was then.
    package func resume(_ work: UInt64) { unsafe gatehouse_recorder_enter(drain, work) }

    /// Whose code runs, as one word that only says whether it is still the same; 0 for nobody's. From any thread.
    package var work: UInt64 { unsafe gatehouse_recorder_work(drain) }

    /// The number of the instance whose code runs, nil for none. From any thread.
    var numberInHand: Int? { work == 0 ? nil : Int(work >> 8) }
}
