// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// Users of the machine who may open the control socket and may not use it.
@Suite(.timeLimit(.minutes(10))) struct OtherUserTests {
    /// Runs a program as a user that no account has.
    private static let becoming = [
        "--reuid=\(Stranger.identifier)", "--regid=\(Stranger.identifier)", "--clear-groups",
    ]

    /// Whether the program can be run as another user: that takes root, and folders that everybody may enter.
    private static let canBecome =
        (try? ChildProcess.run(
            "/usr/bin/setpriv", arguments: becoming + [BuiltProducts.program, "version"]))?.exitCode == 0

    @Test(.enabled(if: canBecome, "becoming another user takes root, and a build that everybody may run"))
    func `another user is refused, whatever the mode of the socket`() throws {
        let host = try ControlledHost()
        let socket = host.scene.folder("gatehouse/shop.sock")
        for folder in [host.scene.folder.path, host.scene.folder("gatehouse")] {
            try FileSystem.setMode(0o711, of: folder)
        }
        try FileSystem.setMode(0o666, of: socket)
        let words = Self.becoming + [BuiltProducts.program, "ctl"]
        for request in [["status"], ["dispatch", "eu/increment"], ["stop"]] {
            let outcome = try ChildProcess.run(
                "/usr/bin/setpriv", arguments: words + request + ["--socket", socket])
            #expect(outcome.output == "")
            #expect(
                outcome.errors
                    == "gatehouse: this host answers user 0 and root, and you are user \(Stranger.identifier)\n"
            )
            #expect(outcome.exitCode == 69)
        }
        #expect(try host.status()["clients"] == ["connected": 1, "watching": 0, "dropped": 0])
        let outcome = try host.finish()
        #expect(outcome.output.contains(#""count": 0"#))
        #expect(outcome.exitCode == 0)
    }

    @Test(.enabled(if: Stranger.canOwn, "giving a folder away takes root"), arguments: [true, false])
    func `a folder of another user in the temporary folder is not looked into`(isLink: Bool) throws {
        let scene = try TemporaryFolder()
        let temporary = try scene.makeFolder("tmp")
        let folder = temporary + "/gatehouse-0"
        let made = isLink ? scene("elsewhere") : folder
        try FileSystem.makeFolder(made)
        if isLink { try FileSystem.link(folder, to: made) }
        // Who listens there would be believed, so the folder alone decides.
        let socket = try LocalConnection.listen(at: made + "/shop.sock")
        defer { close(socket) }
        try FileSystem.setMode(0o1777, of: temporary)
        if !isLink { try FileSystem.setOwner(Stranger.identifier, of: made) }
        let outcome = try ChildProcess.run(
            arguments: ["ctl", "status"], environment: ["GATEHOUSE_RUN_DIRECTORY": temporary])
        #expect(
            outcome.errors
                == "gatehouse: no host of this user is running; \(folder) is skipped, because others may write to it\n"
        )
        #expect(outcome.exitCode == 69)
    }
}
