// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Documentation/Operating.md, done as it says, with the built program; `GuideRun` says how its blocks are read.
@Suite(.timeLimit(.minutes(10))) struct OperatingGuideTests {
    private static let sessions = Result { try GuidePage("Documentation/Operating.md").sessions }

    @Test func `the guide is read`() throws {
        #expect(try Self.sessions.get().count > 5)
    }

    /// Those that need a program besides, or none.
    private static func sessions(with program: String?) -> [GuidePage.Session] {
        ((try? sessions.get()) ?? []).filter { session in
            ["socat", "redis-server", "minisign"].first(where: session.mentions) == program
        }
    }

    @Test(arguments: sessions(with: nil))
    func `each command prints what the guide says`(session: GuidePage.Session) throws { try follow(session) }

    @Test(.enabled(if: Workshop.has("socat"), "needs socat"), arguments: sessions(with: "socat"))
    func `each command beside socat prints what the guide says`(session: GuidePage.Session) throws {
        try follow(session)
    }

    @Test(.enabled(if: RedisServer.isInstalled, "needs Redis"), arguments: sessions(with: "redis-server"))
    func `each command beside a Redis prints what the guide says`(session: GuidePage.Session) throws {
        try follow(session)
    }

    @Test(.enabled(if: Workshop.has("minisign"), "needs minisign"), arguments: sessions(with: "minisign"))
    func `each command beside minisign prints what the guide says`(session: GuidePage.Session) throws {
        try follow(session)
    }

    /// Does what a part of the guide says.
    private func follow(_ session: GuidePage.Session) throws {
        var run = try GuideRun(session)
        for block in session.blocks { try run.follow(block) }
        try run.end()
    }

    /// `make test-dist` does what the guide says about packages.
    @Test func `what is not run needs root, systemd or a machine without a toolchain`() throws {
        let known: Set = [
            "Scripts/make-repository", "apt-get", "cp", "curl", "echo", "install", "journalctl", "make",
            "mkdir", "podman", "systemctl", "systemd-sysusers", "systemd-tmpfiles", "tar",
        ]
        for block in try Self.sessions.get().flatMap(\.blocks) where block.kind == "sh" {
            for line in block.lines {
                for command in line.split(separator: "&&") {
                    let word = command.split(separator: " ").first.map(String.init) ?? ""
                    #expect(known.contains(word), "line \(block.line): \(line)")
                }
            }
        }
    }
}
