// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
private import Synchronization

/// Counts of one input, updated by the thread that reads; readable from any thread.
package final class InputAccount: Sendable {
    /// The kind of input.
    private let kind: InputStatus.Kind
    /// The input's name in messages.
    private let name: String
    /// The input's own rules; nil for none.
    package let rules: InputRules?
    /// Lines of all its connections or files, blank ones included.
    private let lines = Atomic(0)
    /// Lines that are not actions.
    private let rejected = Atomic(0)
    /// Open connections.
    private let connections = Atomic(0)
    /// Whether nothing more comes.
    private let hasEnded = Atomic(false)

    /// Creates an account without any lines.
    package init(_ input: Input, in ingress: IngressConfiguration) {
        rules = input.rules(in: ingress)
        switch input {
        case .stream(_, let name): (kind, self.name) = (.input, name)
        case .listener(let socket): (kind, name) = (.listen, socket.name)
        case .followed(let file): (kind, name) = (.tail, file.name)
        }
    }

    /// Adds to the numbers of lines taken and rejected.
    package func add(lines: Int, rejected: Int) {
        self.lines.wrappingAdd(lines, ordering: .relaxed)
        self.rejected.wrappingAdd(rejected, ordering: .relaxed)
    }

    /// Counts a new connection.
    package func connect() { connections.wrappingAdd(1, ordering: .relaxed) }

    /// Records that a connection has ended, or the input itself.
    package func end() {
        if kind == .listen {
            connections.wrappingSubtract(1, ordering: .relaxed)
        } else {
            hasEnded.store(true, ordering: .relaxed)
        }
    }

    /// The current status.
    package var status: InputStatus {
        InputStatus(
            kind: kind, name: name, lines: lines.load(ordering: .relaxed),
            rejected: rejected.load(ordering: .relaxed),
            connections: kind == .listen ? connections.load(ordering: .relaxed) : nil,
            hasEnded: hasEnded.load(ordering: .relaxed))
    }
}

/// The accounts of a run's inputs.
package final class InputAccounts: Sendable {
    /// The accounts, in the order the inputs were named.
    private let accounts = Mutex<[InputAccount]>([])

    /// Creates an empty set of accounts.
    package init() {}

    /// Opens accounts for the inputs of a run.
    package func open(_ inputs: [Input], in ingress: IngressConfiguration) -> [InputAccount] {
        let made = inputs.map { InputAccount($0, in: ingress) }
        accounts.withLock { $0 = made }
        return made
    }

    /// Returns the current statuses; a single input is counted by the run.
    package func statuses(_ progress: RunProgress) -> [InputStatus] {
        var statuses = accounts.withLock { $0 }.map(\.status)
        if statuses.count == 1, statuses[0].kind == .input {
            (statuses[0].lines, statuses[0].rejected) = (progress.lines, progress.rejected)
        }
        return statuses
    }
}
