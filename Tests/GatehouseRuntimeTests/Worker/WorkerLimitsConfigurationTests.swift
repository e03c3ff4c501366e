// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a configuration asks of the limits of workers.
@Suite(.timeLimit(.minutes(10))) struct WorkerLimitsConfigurationTests {
    /// What the host is limited by in these tests.
    private let limits = WorkerLimits.rlimit("its control group /a is not delegated to it")

    @Test func `nothing is refused that nobody asks for`() throws {
        let configuration = LimitsConfiguration()
        #expect(limits.objection(to: configuration) == nil)
        #expect(try limits.group(for: 1, configuration) == nil)
    }

    @Test(arguments: ["groups", "cpu"])
    func `workers are refused where a group is asked for and there is none`(key: String) {
        var configuration = LimitsConfiguration()
        if key == "cpu" { configuration.cpu = 50 } else { configuration.groups = true }
        #expect(
            limits.objection(to: configuration)
                == #""limits"/"\#(key)" takes a control group for each worker: its control group /a is not delegated to it; start the host in a group that is delegated to it, such as that of a unit with Delegate=cpu memory pids, or remove "\#(key)""#
        )
    }

    @Test func `cases and checks of plugins run anywhere, whatever a configuration asks of a host`() throws {
        var configuration = LimitsConfiguration()
        (configuration.cpu, configuration.groups) = (50, true)
        #expect(WorkerLimits.trial.objection(to: configuration) == nil)
        #expect(try WorkerLimits.trial.group(for: 1, configuration) == nil)
    }

    @Test func `a process may take what all its members may`() {
        var configuration = LimitsConfiguration()
        (configuration.memory, configuration.cpu) = (100, 50)
        #expect(
            ControlGroup.Limits(of: 3, configuration)
                == ControlGroup.Limits(memory: 300 << 20, cpu: 150, threads: 3_072))
        (configuration.memory, configuration.cpu) = (0, 0)
        #expect(
            ControlGroup.Limits(of: 1, configuration)
                == ControlGroup.Limits(memory: nil, cpu: nil, threads: 1_024))
    }
}
