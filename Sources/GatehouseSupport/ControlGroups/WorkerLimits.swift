// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import Glibc

/// What limits the workers of a host: control groups, or `setrlimit` alone.
package enum WorkerLimits: Sendable {
    /// A control group for each, below this one.
    case groups(DelegatedGroup)
    /// `RLIMIT_DATA` alone, because of this.
    case rlimit(String)
    /// `RLIMIT_DATA` alone, whatever a configuration asks for, because no host runs: instances are tried or tested.
    case trial

    /// Claims the control group of this process, where it is delegated; called while this process has one thread and no children.
    package static func claim() -> WorkerLimits {
        do throws(Undelegated) {
            return .groups(try DelegatedGroup())
        } catch {
            return .rlimit(error.reason)
        }
    }

    /// Ends workers and removes their groups: calls `end`, which need not wait, and waits until they are gone, a second at most; does nothing
    /// where they have no groups.
    package func finish(_ end: () -> Void) {
        guard case .groups(let group) = self else { return }
        end()
        group.waitUntilEmpty(atMost: .seconds(1))
    }

    /// Why no group of a worker has a controller that a configuration asks for; nil where it has.
    package func reason(without controller: String) -> String? {
        switch self {
        case .trial: nil
        case .rlimit(let reason): reason
        case .groups(let group):
            group.controllers.contains(controller)
                ? nil : "groups below the control group \(group.name) have no \(controller) controller"
        }
    }

    /// The limits as a status shows them.
    package var value: Value {
        switch self {
        case .groups(let group):
            [
                "limits": "group", "group": .string(group.name),
                "controllers": .array(group.controllers.sorted().map(Value.string)),
            ]
        case .rlimit(let reason): ["limits": "rlimit", "reason": .string(reason)]
        case .trial: ["limits": "rlimit", "reason": "no host runs"]
        }
    }

    /// What a host that this process starts where it is would have, as a status shows it; changes nothing.
    package static var expected: Value {
        do throws(Undelegated) {
            return [
                "limits": "group", "group": .string(try DelegatedGroup.look(with: .system, by: getpid())),
            ]
        } catch {
            return ["limits": "rlimit", "reason": .string(error.reason)]
        }
    }

    /// Such a value in words that follow "workers: ".
    package static func words(_ value: Value) -> String {
        if let group = value["group"]?.stringValue { return "limited by control groups below \(group)" }
        return "limited by rlimit alone: \(value["reason"]?.stringValue ?? "")"
    }
}
