// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

// What a configuration asks of the limits of workers.
extension WorkerLimits {
    /// Why no worker is started, because it would not be limited as a configuration asks for; nil where it would.
    func objection(to limits: LimitsConfiguration) -> String? {
        let wishes = [("groups", "memory", limits.groups), ("cpu", "cpu", limits.cpu > 0)]
        for (key, controller, isWished) in wishes where isWished {
            guard let reason = reason(without: controller) else { continue }
            return
                "\"limits\"/\"\(key)\" takes a control group for each worker: \(reason); start the host in a group that is delegated to it, such as that of a unit with Delegate=cpu memory pids, or remove \"\(key)\""
        }
        return nil
    }

    /// The same where a host would have what a value of `expected` says.
    package static func objection(to limits: LimitsConfiguration, where expected: Value) -> String? {
        guard let reason = expected["reason"]?.stringValue else { return nil }
        return WorkerLimits.rlimit(reason).objection(to: limits)
    }

    /// A control group for a process; nil where processes have none of their own.
    ///
    /// - Parameter members: how many instances the process has.
    /// - Throws: the call that the system refused.
    func group(for members: Int, _ limits: LimitsConfiguration) throws(ChildFailure) -> ControlGroup? {
        guard case .groups(let group) = self else { return nil }
        return try group.group(ControlGroup.Limits(of: members, limits))
    }
}

extension ControlGroup.Limits {
    /// The threads that each member of a worker may have: more than any plugin needs, and few enough for the machine.
    private static let threads = 1_024

    /// Those of a process with some members.
    init(of members: Int, _ limits: LimitsConfiguration) {
        self.init(
            memory: limits.memory(of: members), cpu: limits.cpu == 0 ? nil : members * limits.cpu,
            threads: members * Self.threads)
    }
}

extension LimitsConfiguration {
    /// The bytes of memory that a worker of some members may take; nil for any number.
    func memory(of members: Int) -> Int? { memory == 0 ? nil : members * memory << 20 }
}
