// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseRuntime
internal import GatehouseSupport

/// Keeps on the member's disk what the engine has confirmed; belongs to one thread at a time.
///
/// `@unchecked Sendable`: the main thread recalls the promise before the thread of the membership starts, which alone keeps it then.
final class PromiseKeeper: @unchecked Sendable {
    /// How long what is new may wait for the disk.
    private static let pause = Duration.seconds(5)

    /// The file; nil for a member without a folder for data.
    private let file: PromiseFile?
    /// Knows what the engine has confirmed; nil where nothing needs to be kept.
    private let memory: ClusterMemory?
    /// Reports to the operator.
    private let report: @Sendable (ClusterNotice) -> Void
    /// What is in the file; nil before that is known.
    private var kept: ClusterPromise?
    /// When the file was written last; nil before.
    private var last: ContinuousClock.Instant?
    /// Whether a failure was reported.
    private var hasFailed = false

    /// Creates a keeper that has kept nothing.
    init(_ memory: ClusterMemory?, in file: PromiseFile?, report: @escaping @Sendable (ClusterNotice) -> Void)
    {
        self.memory = memory
        self.file = file
        self.report = report
    }

    /// Recalls what was kept.
    ///
    /// - Throws: `refused` when that cannot be read.
    func recall() throws(ClusterFailure) {
        guard let memory, let promise = try file?.read() else { return }
        kept = promise
        memory.recall(promise)
    }

    /// Keeps what is new, unless some was kept a short time ago; a failure is reported once.
    ///
    /// - Parameter isLast: whether to keep it at once.
    func keep(isLast: Bool = false) {
        let now = ContinuousClock.now
        guard let memory, let file, isLast || last.map({ $0.duration(to: now) >= Self.pause }) ?? true else {
            return
        }
        let promise = memory.promise
        guard !promise.isEmpty, promise != kept else { return }
        last = now
        do throws(SystemFailure) {
            try file.write(promise)
            kept = promise
        } catch {
            if !hasFailed { report(.forgetful(path: file.path, "\(error)")) }
            hasFailed = true
        }
    }
}
