// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// The graph in the console of a running host.
@Suite(
    .serialized,
    .enabled(if: Browser.program != nil, "there is no Chromium; make test-console installs one"),
    .timeLimit(.minutes(10)))
struct GraphConsoleTests {
    private let sale = Value.action("till/sold", 10)

    /// The titles of the boxes of a kind, in the order of the page.
    private func titles(_ kind: String) -> String {
        "[...document.querySelectorAll('#graph-drawing .\(kind) .title')].map((one) => one.textContent)"
    }

    /// Chooses what to look around.
    private func choose(_ choice: String, in browser: Browser) throws {
        _ = try browser.value(
            "(() => { const of = document.querySelector('#graph-of'); of.value = \(Browser.quoted(choice)); of.dispatchEvent(new Event('change')); })()"
        )
    }

    @Test func `instances are drawn with the types that join them, their rates and gates`() throws {
        let scene = try ConsoleScene([sale])
        let browser = scene.browser
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 4")
        #expect(try browser.value(titles("instance")) == ["http", "till", "eu", "us"])
        try browser.wait(for: "#graph-drawing", toSay: "0/s in, 0/s out")
        // An arrow leads to each counter and the till; http and the till have one to, and one from, what they send themselves.
        #expect(try browser.value("document.querySelectorAll('#graph-drawing .edge').length") == 7)
        #expect(try browser.value(Self.overlaps) == 0)
        try browser.click("[aria-label='gate of eu']")
        try scene.giveToken()
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .closed').length === 1")
        try browser.wait(
            for: "document.querySelector('#graph-drawing .closed .words').textContent === 'gate closed'")
        try scene.dispatch((1...200).map { _ in sale })
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .edge.flowing').length > 0")
        try browser.keepPicture("graph")
        scene.expectQuiet()
    }

    @Test func `the neighbourhood of an instance is chosen, and told in words`() throws {
        let scene = try ConsoleScene()
        let browser = scene.browser
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 4")
        try browser.press("g")
        #expect(try browser.value("document.activeElement.id") == "graph-of")
        try choose("instance eu", in: browser)
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 1")
        #expect(try browser.value(titles("type")) == ["eu/decrement"])
        try browser.click("#graph-words summary")
        try browser.wait(
            for: "#graph-list", toSay: "hears eu/increment, eu/decrement, eu/reset; emits nothing")
        try browser.click("#graph-list button")
        try browser.wait(for: "document.querySelectorAll('#graph-list li').length === 4")
        #expect(
            try browser.value(
                "document.querySelector('#graph-drawing svg').getAttribute('aria-label')"
            )
            .stringValue?.hasPrefix("4 boxes of instances and ") == true)
        scene.expectQuiet()
    }

    @Test func `many instances are folded by plugin, and unfolded around one`() throws {
        let scene = try ConsoleScene()
        let browser = scene.browser
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 4")
        try scene.configure(
            (1...120).map { #", { "id": "c\#($0)", "library": "libCounterPlugin.so" }"# }.joined())
        try browser.click("#reload")
        try scene.giveToken()
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 3")
        #expect(try browser.value(titles("instance")) == ["http", "till", "counter × 122"])
        try browser.keepPicture("graph-folded")
        try choose("plugin counter", in: browser)
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 122")
        try choose("instance c77", in: browser)
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 1")
        #expect(try browser.value(titles("instance")) == ["c77"])
        scene.expectQuiet()
    }

    @Test func `quarantine and workers are on the boxes, in words and lines`() throws {
        let scene = try ConsoleScene([sale], isSupervised: true)
        let browser = scene.browser
        try scene.crash()
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .ill').length === 1")
        let words = "document.querySelector('#graph-drawing .ill .words').textContent"
        try browser.wait(for: "\(words).includes('in quarantine')")
        try scene.configure(
            #", { "id": "apart", "library": "libCounterPlugin.so", "placement": "worker" }"#)
        try browser.click("#reload")
        try scene.giveToken()
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .worker').length === 1")
        #expect(
            try browser.value("document.querySelector('#graph-drawing .worker .words').textContent")
                == "worker")
        _ = try browser.value("document.querySelector('#graph').scrollIntoView()")
        try browser.keepPicture("graph-worker")
    }

    @Test(arguments: ["light", "dark"])
    func `it can be looked at on a phone, light and dark`(scheme: String) throws {
        let scene = try ConsoleScene([sale], width: 360, height: 740, scheme: scheme)
        let browser = scene.browser
        try browser.wait(for: "document.querySelectorAll('#graph-drawing .instance').length === 4")
        _ = try browser.value("document.querySelector('#graph').scrollIntoView()")
        #expect(
            try browser.value(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0)
        try browser.keepPicture("graph-phone-\(scheme)")
        scene.expectQuiet()
    }

    /// How many pairs of boxes overlap.
    private static let overlaps = """
        (() => {
          const boxes = [...document.querySelectorAll("#graph-drawing rect")].map((one) => one.getBoundingClientRect());
          return boxes.flatMap((one, index) => boxes.slice(index + 1).filter((other) =>
            one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)).length;
        })()
        """
}
