// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseHistory
internal import GatehouseRuntime
internal import GatehouseSupport

/// `gatehouse child`: runs code of plugins for a host, which alone starts it.
struct ChildCommand {
    /// The task.
    private let task: ChildTask
    /// Where the host listens.
    private let descriptor: Int32
    /// The process that listens.
    private let host: Int32

    /// Parses the arguments that a host gives; nil for others.
    init?(_ arguments: [String]) {
        guard arguments.count == 5, arguments[1] == "child", let task = ChildTask(rawValue: arguments[2]),
            let descriptor = Int32(arguments[3]), let host = Int32(arguments[4])
        else { return nil }
        (self.task, self.descriptor, self.host) = (task, descriptor, host)
    }

    /// Does the task, and ends the process; returns only where the system refuses a thread.
    func run() -> ExitCode {
        MainQueue.serve { [self] in
            switch task {
            case .rehearse: RehearsalWorker.perform(tellingTo: descriptor, of: host)
            case .probe: ValidationWorker.perform(tellingTo: descriptor, of: host)
            case .replay: HistoryWorker.perform(tellingTo: descriptor, of: host)
            case .lookBack: PastStateWorker.perform(tellingTo: descriptor, of: host)
            case .reduce: ReductionWorker.perform(tellingTo: descriptor, of: host)
            case .catchUp: CatchUpWorker.perform(tellingTo: descriptor, of: host)
            }
        }
    }
}
