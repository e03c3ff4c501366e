// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@Suite("gatehouse ctl top", .timeLimit(.minutes(10)))
struct ControlTopTests {
    /// What is written to a terminal of 80 by 24 characters, on which somebody presses keys.
    private func terminal(_ host: ControlledHost, _ command: String) throws -> ChildProcess {
        let words =
            "stty rows 24 cols 80; \(command); echo exit $?; stty -a | tr ' ' '\\n' | grep -x -e echo -e icanon -e isig"
        return try ChildProcess(
            "/usr/bin/script", ["-qfc", words, "/dev/null"], in: host.scene.folder.path,
            environment: host.scene.environment)
    }

    /// Shows the page, and restores everything.
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let end = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    @Test func `one page is printed without a terminal`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("dispatch", "eu/increment")
        let outcome = try host.ctl("top", "--once")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("shop: gatehouse 0.6.0, process "))
        #expect(lines[1].hasSuffix(" actions/s, 1 action, 0 waiting, 0 effects"))
        #expect(lines[2] == "")
        #expect(lines[3] == "INSTANCE  GATE    HEARD/s  SENT/s  TIME  EFFECTS  DROPPED  FAILED")
        // How many a second depends on how long the host has been there.
        #expect(lines[4].hasPrefix("eu        active"))
        #expect(lines[4].hasSuffix("  0     -        0        0       0"))
        #expect(lines[5] == "us        active        0       0     -        0        0       0")
        #expect(lines[6...] == [""])
        #expect(outcome.exitCode == 0)
        let refused = try host.ctl("top")
        #expect(refused.errors == "gatehouse: ctl top needs a terminal; print one page with --once\n")
        #expect(refused.exitCode == 64)
    }

    /// What top shows of a host with one instance that has seen more than any test can wait for: something stands in for it.
    private func lines(counting number: Int, taking nanoseconds: Double) throws -> [Substring] {
        let host = try StandIn("top", "--once", in: TemporaryFolder())
        host.answer(
            1,
            #"{"uptime":1,"instances":[{"id":"abcdefghijklmnopqrst","gate":"half-open","heard":\#(number),"emitted":\#(number),"effects":\#(number),"dropped":\#(number),"failures":\#(number),"time":{"handle":{"samples":1,"nanoseconds":\#(nanoseconds)}}}]}"#
        )
        return try host.finish().output.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `cells that are too long are cut, so that a line has 79 characters`() throws {
        #expect(
            try lines(counting: 123_456_000_000_000_000, taking: 1e13).dropFirst(3) == [
                "INSTANCE           GATE    HEARD/s   SENT/s      TIME  EFFECTS  DROPPED  FAILED",
                "abcdefghijklmnop…  half-…  123456…  123456…  10000.0…  123456…  123456…  12345…", "",
            ])
    }

    @Test(arguments: [
        (9_999, "9999", 999.0, "999 ns"), (10_000, "10.0k", 1_000.0, "1.0 µs"),
        (999_949, "999.9k", 999_949.0, "999.9 µs"), (999_950, "1.0M", 999_950.0, "1.0 ms"),
        (1_234_567, "1.2M", 999_949_999.0, "999.9 ms"),
        (123_456_000_000_000, "123.5T", 999_950_000.0, "1.0 s"),
    ])
    func `numbers and times get the unit with which they fit their columns`(
        number: Int, text: String, nanoseconds: Double, time: String
    ) throws {
        let row = try lines(counting: number, taking: nanoseconds).dropFirst(4).first
        #expect(
            try #require(row).split(separator: " ").joined(separator: " ")
                == "abcdefghijklmnop… half-… \(text) \(text) \(time) \(text) \(text) \(text)")
    }

    @Test func `the pages fit the terminal, which is restored when q is pressed`() throws {
        let host = try ControlledHost()
        let terminal = try terminal(host, "\(BuiltProducts.program) ctl top")
        // The second page comes a second later.
        try terminal.waitForOutput("q quits")
        _ = try host.ctl("dispatch", "eu/increment")
        try terminal.waitForOutput("1 action, 0 waiting")
        terminal.write("q")
        let output = try terminal.finish().output
        #expect(output.hasPrefix(Self.begin))
        #expect(output.hasSuffix(Self.end + "exit 0\r\nisig\r\nicanon\r\necho\r\n"))
        for page in output.split(separator: "\u{1B}[H").dropFirst() {
            let lines = page.split(separator: "\u{1B}[J")[0].split(
                separator: "\r\n", omittingEmptySubsequences: false)
            #expect(lines.count == 24)
            #expect(lines.allSatisfy { $0.count - 3 <= 80 })
        }
    }

    @Test(arguments: ["Q", "\u{3}", "\u{4}"])
    func `a capital letter, Ctrl-C and Ctrl-D end the pages too, and no other key does`(key: String) throws {
        let host = try ControlledHost()
        let terminal = try terminal(host, "\(BuiltProducts.program) ctl top")
        try terminal.waitForOutput("q quits")
        terminal.write("x")
        // It is still there when something has happened since.
        _ = try host.ctl("dispatch", "eu/increment")
        try terminal.waitForOutput("1 action, 0 waiting")
        terminal.write(key)
        #expect(try terminal.finish().output.hasSuffix(Self.end + "exit 0\r\nisig\r\nicanon\r\necho\r\n"))
    }

    @Test func `the terminal is restored when a signal comes`() throws {
        let host = try ControlledHost()
        let terminal = try terminal(host, "echo $$ > shell; exec \(BuiltProducts.program) ctl top")
        try terminal.waitForOutput("q quits")
        let shell = String(decoding: try FileSystem.read(host.scene.folder("shell")), as: UTF8.self)
        kill(try #require(pid_t(shell.split(separator: "\n")[0])), SIGTERM)
        #expect(try terminal.finish().output.hasSuffix(Self.end))
    }

    @Test func `the terminal is restored when the host goes away`() throws {
        let host = try ControlledHost()
        let terminal = try terminal(host, "\(BuiltProducts.program) ctl top")
        try terminal.waitForOutput("q quits")
        host.process.signal(SIGKILL)
        #expect(
            try terminal.finish().output.hasSuffix(
                Self.end + "gatehouse: shop has ended\r\nexit 69\r\nisig\r\nicanon\r\necho\r\n"))
    }
}
