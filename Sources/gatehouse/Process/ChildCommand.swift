// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseChecks
internal import GatehouseHistory
internal import GatehouseRuntime
internal import GatehouseSupport

/// `gatehouse child`: runs code of plugins for a host, which alone starts it.
struct ChildCommand {
    /// The task.
    private let task: ChildTask
    /// The process that listens.
    private let host: Int32
    /// Where this process enters its control group; nil where it stays in that of the host.
    private let entrance: Int32?
    /// The descriptors that it gives: where it listens, and images.
    private let descriptors: [Int32]
    /// The rights that are kept; nil for all.
    private let confinement: Confinement?

    /// Parses the arguments that a host gives; nil for others.
    init?(_ arguments: [String]) {
        guard arguments.count >= 5, arguments[1] == "child", let task = ChildTask(rawValue: arguments[2])
        else { return nil }
        let numbers = arguments[3].split(separator: ":").map { Int32($0) }
        guard (1...2).contains(numbers.count), let host = numbers[0] else { return nil }
        (self.task, self.host) = (task, host)
        entrance = numbers.count == 2 ? numbers[1] : nil
        descriptors = arguments[4].split(separator: ",").compactMap { Int32($0) }
        guard !descriptors.isEmpty else { return nil }
        confinement = Confinement(words: arguments[5...])
    }

    /// Moves this process to its control group, confines it, does the task, and ends the process; returns only where the system refuses something.
    func run() -> ExitCode {
        let descriptor = descriptors[0]
        // Before there is another thread, which would keep its rights.
        guard gatehouse_end_with_parent(host) == 0 else { return .badData }
        do throws(ChildFailure) {
            // Before it takes any memory that counts.
            if let entrance { try ControlGroup.enter(entrance) }
            try confinement?.enter(keeping: descriptors)
        } catch {
            return .internalError.because("\(error)")
        }
        return MainQueue.serve { [self] in
            switch task {
            case .rehearse: RehearsalChild.perform(tellingTo: descriptor)
            case .probe: ValidationChild.perform(tellingTo: descriptor)
            case .replay: HistoryChild.perform(tellingTo: descriptor)
            case .lookBack: PastStateChild.perform(tellingTo: descriptor)
            case .reduce: ReductionChild.perform(tellingTo: descriptor)
            case .work: WorkerProcess.perform(tellingTo: descriptor)
            case .catchUp: CatchUpChild.perform(tellingTo: descriptor)
            }
        }
    }
}
