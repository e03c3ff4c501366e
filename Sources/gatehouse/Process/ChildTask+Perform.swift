// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseHistory
internal import GatehouseRuntime
internal import GatehouseSupport

extension ChildTask {
    /// Does the task, and ends the process.
    ///
    /// - Parameters:
    ///   - descriptor: where the host listens.
    ///   - host: the process that listens.
    package func perform(tellingTo descriptor: Int32, of host: Int32) -> Never {
        switch self {
        case .rehearse: RehearsalWorker.perform(tellingTo: descriptor, of: host)
        case .probe: ValidationWorker.perform(tellingTo: descriptor, of: host)
        case .replay: HistoryWorker.perform(tellingTo: descriptor, of: host)
        case .lookBack: PastStateWorker.perform(tellingTo: descriptor, of: host)
        case .reduce: ReductionWorker.perform(tellingTo: descriptor, of: host)
        case .catchUp: CatchUpWorker.perform(tellingTo: descriptor, of: host)
        }
    }
}
