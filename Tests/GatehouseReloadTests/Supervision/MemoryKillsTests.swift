// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseReload

/// How many processes the system has ended for want of memory.
@Suite(.timeLimit(.minutes(10))) struct MemoryKillsTests {
    /// The number by what some files say.
    private func told(_ files: [String: String]) -> MemoryKills? { MemoryKills { files[$0] } }

    @Test func `those of the own control group count, and no others`() throws {
        let kills = try #require(
            told([
                "/proc/self/cgroup": "0::/system.slice/gatehouse.service\n", "/proc/vmstat": "oom_kill 9\n",
                "/sys/fs/cgroup/system.slice/gatehouse.service/memory.events":
                    "low 0\nmax 17\noom 4\noom_kill 3\noom_group_kill 0\n",
            ]))
        #expect(kills.scope == .group && kills.count == 3)
    }

    @Test func `groups below do not count where the group tells its own`() {
        let folder = "/sys/fs/cgroup/a/"
        let count = told([
            "/proc/self/cgroup": "0::/a\n", folder + "memory.events": "oom_kill 3\n",
            folder + "memory.events.local": "oom_kill 1\n",
        ])?.count
        #expect(count == 1)
    }

    @Test func `groups in the older form are known too`() throws {
        let kills = try #require(
            told([
                "/proc/self/cgroup": "12:cpu,cpuacct:/\n4:memory:/docker/0\n0::/\n",
                "/sys/fs/cgroup/memory/docker/0/memory.oom_control":
                    "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
            ]))
        #expect(kills.scope == .group && kills.count == 2)
    }

    @Test(arguments: ["0::/\n", "0::/../other\n", "", "?"])
    func `those of all count where the group tells nothing`(groups: String) throws {
        let kills = try #require(
            told(["/proc/self/cgroup": groups, "/proc/vmstat": "nr_free_pages 1\noom_kill 9\n"]))
        #expect(kills.scope == .system && kills.count == 9)
    }

    @Test func `nothing is known where nobody tells`() { #expect(told([:]) == nil) }

    @Test func `one more counts where it was counted in the same place`() throws {
        func group(_ count: Int) -> MemoryKills? {
            told([
                "/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.events": "oom_kill \(count)\n",
            ])
        }
        let (one, two) = (try #require(group(1)), try #require(group(2)))
        #expect(two.isMore(than: one))
        #expect(!one.isMore(than: one) && !one.isMore(than: nil))
        #expect(!two.isMore(than: told(["/proc/vmstat": "oom_kill 1\n"])))
    }

    @Test func `a group is named by the last part of its line, whatever stands in it`() {
        let files = ["/sys/fs/cgroup/a:b/memory.events": "oom_kill 3\n", "/proc/vmstat": "oom_kill 9\n"]
        func count(_ groups: String) -> Int? {
            told(files.merging(["/proc/self/cgroup": groups]) { one, _ in one })?.count
        }
        #expect(count("0::/a:b\n") == 3)
        #expect(count("1::/a:b\n") == 9)
        #expect(count("0:name:/a:b\n") == 9)
        #expect(count("0:/a:b\n") == 9)
    }

    @Test func `the group of all is at the top`() {
        #expect(
            told(["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.events": "oom_kill 3\n"])?.count == 3
        )
        #expect(
            told([
                "/proc/self/cgroup": "4:cpu,memory:/\n",
                "/sys/fs/cgroup/memory/memory.oom_control": "oom_kill 2\n",
            ])?.count == 2)
        #expect(
            told([
                "/proc/self/cgroup": "4:memory2:/\n",
                "/sys/fs/cgroup/memory/memory.oom_control": "oom_kill 2\n",
            ]) == nil)
    }

    @Test(arguments: ["oom_kill\n", "oom_kill 1 2\n", "oom_kills 1\n", "1 oom_kill\n", "oom_kill x\n", ""])
    func `a line that is not a word and a number tells nothing`(text: String) {
        #expect(told(["/proc/vmstat": text]) == nil)
        #expect(told(["/proc/vmstat": text + "oom_kill 4\n"])?.count == (text == "oom_kill x\n" ? nil : 4))
    }

    @Test func `this system tells its number`() throws {
        let now = try #require(MemoryKills.now)
        #expect(now.count >= 0)
    }
}
