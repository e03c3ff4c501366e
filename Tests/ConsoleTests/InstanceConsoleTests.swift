// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// The part of the console that is about one instance.
@Suite(
    .serialized,
    .enabled(if: Browser.program != nil, "there is no Chromium; make test-console installs one"),
    .timeLimit(.minutes(10)))
struct InstanceConsoleTests {
    @Test func `an instance is shown with what it is, what it has done and what happened to it`() throws {
        let scene = try ConsoleScene([.action("till/sold", 10), .action("till/sold", "ten")])
        let browser = scene.browser
        #expect(try browser.value("document.querySelector('#instance-body').hidden") == true)
        try browser.click("#chain-rows tr:nth-child(2) strong")
        try browser.wait(for: "#instance-facts", toSay: "till 1.0.0")
        #expect(try browser.value("document.activeElement.id") == "instance-of")
        try browser.wait(for: "#instance-counts .bad", toSay: "1")
        try browser.wait(for: "#instance-letters", toSay: "till/sold at till: misfit")
        #expect(try browser.text("#instance-effects") == "none")
        try browser.click("[aria-label='gate of till']")
        try scene.giveToken()
        try browser.wait(for: "#instance-marks", toSay: "the gate is bypass")
        #expect(try browser.text("#marks-command") == "ctl hour till")
        try browser.wait(for: "#instance-facts", toSay: "bypass")
        _ = try browser.value("document.querySelector('#instance').scrollIntoView()")
        try browser.keepPicture("instance")
        scene.expectQuiet()
    }

    @Test func `settings are shown to who has the token`() throws {
        let scene = try ConsoleScene()
        let browser = scene.browser
        try browser.press("i")
        #expect(try browser.value("document.activeElement.id") == "instance-of")
        try browser.press("h")
        try choose("http", in: browser)
        try browser.click("#entry-show")
        try scene.giveToken()
        try browser.wait(for: "#instance-settings", toSay: #""tokenFile": "token""#)
        #expect(try browser.text("#entry-command") == "ctl entry http")
        // Those of another instance are not its own.
        try choose("eu", in: browser)
        #expect(try browser.value("document.querySelector('#instance-settings').hidden") == true)
        scene.expectQuiet()
    }

    @Test(arguments: ["light", "dark"])
    func `effects under way are told with their attempts, on a phone too`(scheme: String) throws {
        let scene = try ConsoleScene(width: 360, height: 740, scheme: scheme)
        let browser = scene.browser
        try scene.configure(#", { "id": "ending", "library": "libEndingPlugin.so" }"#)
        try browser.click("#reload")
        try scene.giveToken()
        try browser.wait(for: "document.querySelector('#instance-of').options.length === 6")
        try scene.dispatch([.action("ending/stay")])
        try choose("ending", in: browser)
        try browser.wait(
            for: "#instance-effects", toSay: "attempt 1; begins again if it is interrupted")
        #expect(try browser.text("#effects-command") == "ctl effects ending")
        #expect(
            try browser.value(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0)
        _ = try browser.value("document.querySelector('#instance').scrollIntoView()")
        try browser.keepPicture("instance-phone-\(scheme)")
        scene.expectQuiet()
    }

    @Test func `what waits before another attempt makes it at once`() throws {
        let scene = try ConsoleScene()
        let browser = scene.browser
        // Nobody listens at port 9, and the pause is some minutes long.
        try scene.configure(
            #", { "id": "chat", "library": "libHTTPClientPlugin.so", "lift": { "dependencies": ["clock"] }, "settings": { "url": "http://127.0.0.1:9/", "attempts": 2, "pause": 3600, "maximumPause": 3600 } }"#
        )
        try browser.click("#reload")
        try scene.giveToken()
        try browser.wait(for: "document.querySelector('#instance-of').options.length === 6")
        try choose("chat", in: browser)
        #expect(try browser.value("document.querySelector('#now-control').hidden") == true)
        try scene.dispatch([.action("chat/send")])
        try browser.wait(for: "#now-pauses", toSay: "1 waits for a later moment")
        #expect(try browser.text("#now-command") == "ctl now chat")
        try browser.keepPicture("instance-now")
        // As in a new tab: the token is asked for, and not refused first.
        _ = try browser.value("sessionStorage.clear()")
        try browser.click("#effects-now")
        try scene.giveToken()
        try browser.wait(for: "#instance-letters", toSay: "chat/send at chat: failed")
        try browser.wait(for: "document.querySelector('#now-control').hidden")
        scene.expectQuiet()
    }

    @Test(arguments: [("desktop", 1_360, "light"), ("dark", 1_360, "dark"), ("phone", 360, "light")])
    func `the generations are listed in which an instance changed, the newest first`(
        name: String, width: Int, scheme: String
    ) throws {
        let scene = try ConsoleScene([.action("till/sold", 10)], width: width, height: 740, scheme: scheme)
        let browser = scene.browser
        try choose("till", in: browser)
        try browser.wait(
            for: "#instance-generations", toSay: "till 1.0.0, sha256 ")
        #expect(
            try browser.text("#instance-generations strong") == "as the journal first knows it")
        #expect(try browser.value("document.querySelector('#instance-generations').children.length") == 1)
        let tally = #", "library": "libCounterPlugin.so", "settings": { "step": 2 }"#
        for (number, entry) in [
            #"{ "id": "tally", "library": "libCounterPlugin.so" }"#, #"{ "id": "tally"\#(tally) }"#,
            #"{ "id": "sum", "was": "tally"\#(tally), "gate": { "state": "/features/us" } }"#,
        ].enumerated() {
            try scene.configure(", " + entry)
            try browser.click("#reload")
            if number == 0 { try scene.giveToken() }
            try browser.wait(for: "#fact-generation", toSay: "\(number + 2)")
        }
        try browser.wait(
            for: "[...document.querySelector('#instance-of').options].some(({ value }) => value === 'sum')")
        try choose("sum", in: browser)
        try browser.wait(for: "#instance-generations", toSay: "renamed from tally")
        #expect(try browser.text("#generations-command") == "ctl generations sum")
        let changes = "[...document.querySelectorAll('#instance-generations strong')]"
        #expect(
            try browser.value("\(changes).map((change) => change.innerText)")
                == ["renamed from tally; other gate", "other settings", "started"])
        let notes = "[...document.querySelectorAll('#instance-generations li')].map((item) => item.children"
        #expect(
            try browser.value("\(notes)[1].innerText.replace(/, [^,]*, [^,]*$/, ''))")
                == [
                    "generation 4 of run 1, after action 2", "generation 3 of run 1, after action 2",
                    "generation 2 of run 1, after action 2",
                ])
        #expect(
            try browser.value("\(notes)[2].innerText.replace(/sha256 [0-9a-f]{12}/, 'sha256'))")
                == [
                    "counter 1.0.0, sha256", "counter 1.0.0, sha256, gate active",
                    "counter 1.0.0, sha256, gate active",
                ])
        #expect(
            try browser.value(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0)
        _ = try browser.value(
            "document.querySelector('#generations-part').scrollIntoView({ block: 'center' })")
        try browser.keepPicture("instance-generations-\(name)")
        scene.expectQuiet()
    }

    /// Chooses the instance to show.
    private func choose(_ id: String, in browser: Browser) throws {
        _ = try browser.value(
            "(() => { const of = document.querySelector('#instance-of'); of.value = \(Browser.quoted(id)); of.dispatchEvent(new Event('change')); })()"
        )
    }
}
