// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// The costs in the console of a running host.
@Suite(
    .serialized,
    .enabled(if: Browser.program != nil, "there is no Chromium; make test-console installs one"),
    .timeLimit(.minutes(10)))
struct CostsConsoleTests {
    private let bars = "document.querySelectorAll('#costs-drawing .bar.instance').length"

    @Test(arguments: ["light", "dark"])
    func `the time is shared among instances, stages and rules, and one is seen alone`(scheme: String) throws
    {
        let scene = try ConsoleScene(
            rules: #"{ "rules": [{ "when": "till/sold", "emit": "counted" }] }"#, scheme: scheme)
        let browser = scene.browser
        // From the first answer on there is a sample from which the next ones count.
        try browser.wait(for: "!document.querySelector('#costs').hidden")
        #expect(try browser.text("#costs-command") == "ctl costs 5")
        try scene.dispatch(
            (1...600).map { .action($0 % 2 == 0 ? "till/sold" : "eu/increment", $0 % 2 == 0 ? 10 : nil) })
        _ = try browser.value(
            "(() => { const of = document.querySelector('#costs-minutes'); of.value = '15'; of.dispatchEvent(new Event('change')); })()"
        )
        try browser.wait(for: "\(bars) >= 2")
        #expect(try browser.text("#costs-command") == "ctl costs 15")
        #expect(
            try browser.value("document.querySelectorAll('#costs-drawing .bar.reduce').length").intValue ?? 0
                > 0)
        try browser.wait(for: "document.querySelectorAll('#costs-drawing .bar.rule').length === 1")
        try browser.click("#costs-words summary")
        try browser.wait(for: "#costs-list", toSay: "/rules/0 ")
        try browser.wait(for: "#costs-list", toSay: "reduce ")
        try browser.keepPicture("costs-\(scheme)")
        // A bar that is pressed takes the whole width, until the one above it is.
        try browser.click("#costs-list button")
        try browser.wait(for: "\(bars) === 1")
        #expect(try browser.value("document.querySelector('#costs-list button').ariaPressed") == "true")
        try browser.resize(360, 740)
        #expect(
            try browser.value(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0)
        _ = try browser.value("document.querySelector('#costs').scrollIntoView()")
        try browser.keepPicture("costs-phone-\(scheme)")
        try browser.click("#costs-list button")
        try browser.wait(for: "\(bars) >= 2")
        scene.expectQuiet()
    }
}
