// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK
private import Synchronization

/// Counts of one input, updated by the thread that reads; readable from any thread.
package final class InputAccount: Sendable {
    /// The input's own rules; nil for none.
    package let rules: InputRules?
    /// The counts, those of all its connections or files together.
    private let counts: Mutex<InputStatus>

    /// Creates an account without any lines.
    package init(_ input: Input, in ingress: IngressConfiguration) {
        rules = input.rules(in: ingress)
        let status =
            switch input {
            case .stream(_, let name): InputStatus(kind: .input, name: name)
            case .listener(let socket): InputStatus(kind: .listen, name: socket.name, connections: 0)
            case .followed(let file): InputStatus(kind: .tail, name: file.name)
            }
        counts = Mutex(status)
    }

    /// Adds to the numbers of lines taken and rejected.
    package func add(lines: Int, rejected: Int) {
        counts.withLock { counts in
            counts.lines += lines
            counts.rejected += rejected
        }
    }

    /// Counts a new connection.
    package func connect() { counts.withLock { $0.connections? += 1 } }

    /// Records that a connection has ended, or the input itself.
    package func end() {
        counts.withLock { counts in
            counts.hasEnded = counts.connections == nil
            counts.connections? -= 1
        }
    }

    /// The current status.
    package var status: InputStatus { counts.withLock { $0 } }
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

/// The status of one input of a run.
package struct InputStatus: Equatable, Sendable {
    /// The kinds of inputs, by the option that names them.
    package enum Kind: String, Sendable {
        /// A file or pipe, which ends.
        case input
        /// A socket that writers connect to.
        case listen
        /// A followed file.
        case tail
    }

    /// The kind of input.
    package let kind: Kind
    /// The input's name in messages.
    package let name: String
    /// Lines, blank ones included.
    package internal(set) var lines = 0
    /// Lines that are not actions.
    package internal(set) var rejected = 0
    /// Open connections; nil for inputs other than sockets.
    package internal(set) var connections: Int?
    /// Whether nothing more comes.
    package internal(set) var hasEnded = false

    /// The status as the control socket writes it.
    package var value: Value {
        var members: Members = [
            "name": .string(name), "kind": .string(kind.rawValue), "lines": Value(lines),
            "rejected": Value(rejected), "ended": .bool(hasEnded),
        ]
        if let connections { members["connections"] = Value(connections) }
        return .object(members)
    }
}
