// SPDX-License-Identifier: Apache-2.0

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
        case .rehearse: RehearsalStage.perform(tellingTo: descriptor, of: host)
        case .probe: ValidationStage.perform(tellingTo: descriptor, of: host)
        case .replay: HistoryStage.perform(tellingTo: descriptor, of: host)
        case .lookBack: PastStateStage.perform(tellingTo: descriptor, of: host)
        case .reduce: ReductionStage.perform(tellingTo: descriptor, of: host)
        case .catchUp: CatchUpStage.perform(tellingTo: descriptor, of: host)
        }
    }
}
