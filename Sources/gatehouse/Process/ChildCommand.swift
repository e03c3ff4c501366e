// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseChecks
internal import GatehouseHistory
internal import GatehouseRuntime
internal import GatehouseSupport

/// `gatehouse child`: runs code of plugins for a host, which alone starts it and may be of a later version.
struct ChildCommand {
    /// Where the host listens.
    private let teller: ChildEventWriter
    /// The number of the protocol that the host speaks, and the words that belong to it.
    private let opening: ChildProtocol.Opening

    /// Recognises the command line that a host gives; nil for another one.
    init?(_ arguments: [String]) {
        guard let opening = ChildProtocol.Opening(arguments) else { return nil }
        self.opening = opening
        teller = ChildEventWriter(descriptor: opening.descriptor)
    }

    /// Tells the number of the protocol and does what the host asks for; returns only where it cannot.
    func run() -> ExitCode {
        teller.tell(ChildProtocol.greeting)
        guard opening.number == ChildProtocol.number else {
            return .badData.because(
                "expected a host that speaks protocol \(ChildProtocol.number) with its children, found protocol \(opening.number); use the program and the host of versions that share a protocol"
            )
        }
        guard let job = ChildJob(opening.rest) else {
            return .badData.because("the command line of a child is not one that a host gives")
        }
        return job.run()
    }
}

/// One task for a host, with the rights that are kept for it.
private struct ChildJob {
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

    /// Parses the words that belong to the number of the protocol; nil for others.
    init?(_ words: ArraySlice<String>) {
        let words = Array(words)
        guard words.count >= 3, let task = ChildTask(rawValue: words[0]) else { return nil }
        let numbers = words[1].split(separator: ":").map { Int32($0) }
        guard (1...2).contains(numbers.count), let host = numbers[0] else { return nil }
        (self.task, self.host) = (task, host)
        entrance = numbers.count == 2 ? numbers[1] : nil
        descriptors = words[2].split(separator: ",").compactMap { Int32($0) }
        guard !descriptors.isEmpty else { return nil }
        confinement = Confinement(words: words[3...])
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
