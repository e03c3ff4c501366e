// SPDX-License-Identifier: Apache-2.0

private import Dispatch
private import Glibc
private import Synchronization

/// Applies one operation to many elements on a few threads at once.
package enum Parallel {
    /// The maximum number of threads, with the caller's.
    private static let limit = 4

    /// Transforms all elements and waits for the last; the results are in the order of the elements.
    ///
    /// The caller's thread works too, so everything gets done even where no thread can be started.
    ///
    /// - Parameter least: the number of elements below which no thread is started.
    package static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], from least: Int = 16, _ transform: @escaping @Sendable (Element) -> Result
    ) -> [Result] {
        guard elements.count >= least else { return elements.map(transform) }
        let threads = min(limit, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let job = Job(elements, transform)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in job.work() }
        return job.results
    }

    /// The elements of one call and their results.
    private final class Job<Element: Sendable, Result: Sendable>: Sendable {
        /// The elements to transform.
        private let elements: [Element]
        /// The operation for each of them, on any thread.
        private let transform: @Sendable (Element) -> Result
        /// The index of the next element that nobody has taken.
        private let next = Atomic<Int>(0)
        /// The results so far, by the index of their element.
        private let finished = Mutex<[Int: Result]>([:])

        /// Creates a job with nothing done.
        init(_ elements: [Element], _ transform: @escaping @Sendable (Element) -> Result) {
            self.elements = elements
            self.transform = transform
        }

        /// Processes elements one after the other until none is left.
        func work() {
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < elements.count else { return }
                let result = transform(elements[index])
                finished.withLock { $0[index] = result }
            }
        }

        /// All results in order; valid after every thread has ended.
        var results: [Result] { finished.withLock { done in elements.indices.compactMap { done[$0] } } }
    }
}
