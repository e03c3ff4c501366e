// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What one input has brought, for whoever asks; counted by the thread that reads.
final class InputAccount: Sendable {
    /// The kind of input, such as a file or a connection.
    private let kind: InputStatus.Kind
    /// The name by which messages call the input.
    private let name: String
    /// What it may carry beside what all inputs may; nil for all of that.
    let rules: InputRules?
    /// Lines of all its connections or files, blank ones included.
    private let lines = Atomic(0)
    /// Lines that are no action.
    private let rejected = Atomic(0)
    /// Connections that are open.
    private let connections = Atomic(0)
    /// Whether nothing more comes.
    private let hasEnded = Atomic(false)

    /// An input that has brought nothing.
    init(_ input: Input, in ingress: IngressConfiguration) {
        rules = input.rules(in: ingress)
        switch input {
        case .stream(_, let name): (kind, self.name) = (.input, name)
        case .listener(let socket): (kind, name) = (.listen, socket.name)
        case .followed(let file): (kind, name) = (.tail, file.name)
        }
    }

    /// Adds to the numbers of lines taken and rejected.
    func add(lines: Int, rejected: Int) {
        self.lines.wrappingAdd(lines, ordering: .relaxed)
        self.rejected.wrappingAdd(rejected, ordering: .relaxed)
    }

    /// Takes note of a connection.
    func connect() { connections.wrappingAdd(1, ordering: .relaxed) }

    /// Takes note that a connection has ended, or the input itself.
    func end() {
        if kind == .listen {
            connections.wrappingSubtract(1, ordering: .relaxed)
        } else {
            hasEnded.store(true, ordering: .relaxed)
        }
    }

    /// What is known at this moment.
    var status: InputStatus {
        InputStatus(
            kind: kind, name: name, lines: lines.load(ordering: .relaxed),
            rejected: rejected.load(ordering: .relaxed),
            connections: kind == .listen ? connections.load(ordering: .relaxed) : nil,
            hasEnded: hasEnded.load(ordering: .relaxed))
    }
}

/// What the inputs of a run have brought.
final class InputAccounts: Sendable {
    /// One for each, in the order in which they were named.
    private let accounts = Mutex<[InputAccount]>([])

    /// No inputs so far.
    init() {}

    /// Begins with the inputs of a run.
    func open(_ inputs: [Input], in ingress: IngressConfiguration) -> [InputAccount] {
        let made = inputs.map { InputAccount($0, in: ingress) }
        accounts.withLock { $0 = made }
        return made
    }

    /// What is known at this moment; an input that is read alone is counted by the run.
    func statuses(_ progress: RunProgress) -> [InputStatus] {
        var statuses = accounts.withLock { $0 }.map(\.status)
        if statuses.count == 1, statuses[0].kind == .input {
            (statuses[0].lines, statuses[0].rejected) = (progress.lines, progress.rejected)
        }
        return statuses
    }
}
