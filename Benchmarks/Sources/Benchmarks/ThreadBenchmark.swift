// SPDX-License-Identifier: Apache-2.0

import GatehouseRuntime
import GatehouseSDK
import Glibc
import Synchronization

/// Several threads that dispatch into one host at once, as fast as they can.
enum ThreadBenchmark {
    /// Actions of each thread.
    private static let share = 400_000
    private static let rounds = 7

    static func rows() throws -> [Row] {
        let host = try Installation.loaded("Listener")
        let counts = [1, 2, 4]
        var times = [[Double]](repeating: [], count: counts.count)
        for _ in 0..<rounds {
            for (index, count) in counts.enumerated() { times[index].append(time(host, threads: count)) }
        }
        // The least would be a round in which the threads hardly met.
        let medians = times.map { $0.sorted()[rounds / 2] }
        return zip(counts, medians).map { count, time in
            Row(
                "threads dispatching at once", "\(count)", time, "ns wall",
                ratios: [Row.Ratio(times: medians[0] / time, of: "the throughput of one thread")])
        }
    }

    // MARK: - Implementation details

    /// What the threads share.
    private final class Work: Sendable {
        /// How many threads still have to arrive before all begin.
        let missing: Atomic<Int>
        let dispatch: @Sendable () -> Void

        init(threads: Int, dispatch: @escaping @Sendable () -> Void) {
            missing = Atomic(threads)
            self.dispatch = dispatch
        }
    }

    /// Nanoseconds of wall time for each action of all threads together.
    private static func time(_ host: Host, threads: Int) -> Double {
        let action = AnyAction("i0/ping")
        let source = ActionSource.here()
        // Dispatching is what a host allows from several threads; nothing else is done until all have ended.
        nonisolated(unsafe) let host = host
        let work = Work(threads: threads) {
            for _ in 0..<share { unsafe host.dispatch(action, from: source) }
        }
        return Clock.wall.time {
            var handles = [pthread_t](repeating: pthread_t(), count: threads)
            for index in handles.indices {
                let argument = unsafe Unmanaged.passRetained(work).toOpaque()
                unsafe pthread_create(&handles[index], nil, body, argument)
            }
            for handle in handles { pthread_join(handle, nil) }
        } / Double(share * threads)
    }

    private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        argument in
        guard let argument = unsafe argument else { return nil }
        let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.missing.subtract(1, ordering: .acquiringAndReleasing)
        while work.missing.load(ordering: .acquiring) > 0 {}
        work.dispatch()
        return nil
    }
}
