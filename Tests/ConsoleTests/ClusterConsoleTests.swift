// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// What the console of a member shows of its cluster.
@Suite(
    .serialized,
    .enabled(
        if: Browser.program != nil && RedisServer.isInstalled,
        "there is no Chromium or no Redis; make test-console installs them"), .timeLimit(.minutes(10)))
struct ClusterConsoleTests {
    @Test func `members and partitions are shown, and a member is drained by its button`() throws {
        try ClusterConsoleScene.run { scene in
            let browser = scene.browser
            try browser.wait(
                for: "#cluster-note",
                toSay: "shop, of which this host is a: 64 partitions, 0 actions behind, 0 dead letters")
            #expect(try browser.value("document.querySelectorAll('#partition-grid li').length") == 64)
            #expect(try browser.value("document.querySelectorAll('#partition-grid li.nobody').length") == 0)
            #expect(try browser.text("#partition-grid-title").contains("all of them taken care of"))
            #expect(try browser.text("#member-rows tr").contains("this host"))
            try browser.wait(for: "#chain-rows tr:nth-child(2) .mark", toSay: "in ")
            try browser.keepPicture("cluster")
            #expect(try browser.text("[aria-label='Drain: b'] + code") == "ctl cluster drain b")
            try browser.click("[aria-label='Drain: b']")
            try browser.wait(for: "document.querySelector('#token-dialog').open")
            try browser.write(ConsoleScene.token)
            try browser.press("Enter")
            try browser.wait(for: "#announcement", toSay: "over to 1 of the other members")
            try browser.wait(for: "#member-rows tr:nth-child(2) td.number", toSay: "0")
            try browser.wait(for: "document.querySelectorAll('#partition-grid li.o0').length === 64")
            // The last one would leave the partitions to nobody.
            try browser.click("[aria-label='Drain: a']")
            try browser.wait(for: "#announcement", toSay: "press once more to drain it")
            try browser.click("[aria-label='Take again: b']")
            try browser.wait(for: "#announcement", toSay: "b takes partitions again")
            try browser.wait(for: "document.querySelectorAll('#partition-grid li.o1').length > 0")
            scene.expectQuiet()
        }
    }

    @Test func `a gate of an instance in partitions is moved in all of them`() throws {
        try ClusterConsoleScene.run { scene in
            let browser = scene.browser
            try browser.wait(for: "[aria-label='gate of eu'] + code", toSay: "ctl close eu")
            try browser.click("[aria-label='gate of eu']")
            try browser.wait(for: "document.querySelector('#token-dialog').open")
            try browser.write(ConsoleScene.token)
            try browser.press("Enter")
            try browser.wait(
                for: "#announcement",
                toSay: "eu: the gate will be bypass in 64 partitions, each when it gets to it")
            try browser.wait(for: "[aria-label='gate of eu']", toSay: "bypass")
            scene.expectQuiet()
        }
    }

    @Test(arguments: ["light", "dark"])
    func `on a phone nothing is wider than the page, in either colours`(scheme: String) throws {
        try ClusterConsoleScene.run(width: 380, scheme: scheme) { scene in
            let browser = scene.browser
            try browser.wait(for: "document.querySelectorAll('#partition-grid li').length === 64")
            #expect(try browser.value("document.documentElement.scrollWidth <= innerWidth") == true)
            #expect(
                try browser.value(
                    "[...document.querySelectorAll('#cluster button')].every((button) => button.getBoundingClientRect().right <= innerWidth)"
                ) == true)
            try browser.keepPicture("cluster-phone-" + scheme)
            scene.expectQuiet()
        }
    }

    @Test func `while the engine does not answer, the console says so`() throws {
        try ClusterConsoleScene.run { scene in
            try scene.redis.kill()
            try scene.browser.wait(for: "#cluster-note", toSay: "the engine cannot be reached")
            #expect(
                try scene.browser.value("document.querySelector('#cluster-note').classList.contains('bad')")
                    == true)
        }
    }

    @Test func `a host in no cluster shows none`() throws {
        let scene = try ConsoleScene()
        #expect(try scene.browser.value("document.querySelector('#cluster').hidden") == true)
        scene.expectQuiet()
    }
}
