// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Inputs that another process must be able to read on.
@Suite(.timeLimit(.minutes(10))) struct RunInputsTests {
    @Test func `a program that cannot read on gets no host with a pipe that nobody has opened yet`() throws {
        let host = try UpgradedHost(["--supervise", "--input", "feed"]) { scene in
            try scene.folder.write(UpgradedHost.configuration(ingress: "{}"), to: "plugins.json")
            try FileSystem.makePipe(scene.folder("feed"))
            return nil
        }
        let program = try FailingProgram.standing.write(into: host.scene.folder)
        let outcome = try host.ctl("upgrade", program)
        #expect(outcome.exitCode == 75)
        #expect(
            outcome.errors.contains(
                "\(program) is older, and does not go on with files or pipes that are read to their ends; this host goes on\n"
            ), "\(outcome.errors)")
        _ = try host.finish()
    }
}
