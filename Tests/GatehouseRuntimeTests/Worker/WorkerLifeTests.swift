// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How the process of a worker is started.
@Suite(.timeLimit(.minutes(10))) struct WorkerLifeTests {
    @Test(.enabled(if: SystemFile.variable(Backtrace.setting.name) == nil, "needs the host's own setting"))
    func `the Swift runtime of a worker says nothing of its death, which is read from outside`() throws {
        let folder = try TemporaryFolder()
        // Tells what it was given in place of a worker.
        let program = try folder.writeProgram(
            """
            #!/bin/sh
            echo protocol 1 > /proc/self/fd/$3
            echo "$\(Backtrace.setting.name)"
            echo end > /proc/self/fd/$3

            """, to: "program")
        let life = try WorkerLife(program, for: [], memory: nil, isDebugged: false)
        let outcome = life.child.follow(HostChild.Limits(time: .seconds(300)), stop: nil) { _ in true }
        #expect(outcome.end == .finished)
        #expect(outcome.words == "enable=no\n")
    }
}
