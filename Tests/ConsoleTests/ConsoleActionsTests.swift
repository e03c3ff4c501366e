// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// What the console does with actions besides showing those that pass: what came to nothing, a search, two moments, lines of files.
@Suite(
    .serialized,
    .enabled(if: Browser.program != nil, "there is no Chromium; make test-console installs one"),
    .timeLimit(.minutes(10)))
struct ConsoleActionsTests {
    private let sale = Value.action("till/sold", 10)
    private let increment = Value.action("eu/increment")

    /// Reads what would be saved as a file.
    private static let catchDownloads = """
        (() => {
          URL.createObjectURL = (blob) => { window.saved = blob; return "blob:nowhere"; };
          HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
        })()
        """

    /// Fills in a field as a user does.
    private func fill(_ browser: Browser, _ id: String, _ text: String) throws {
        _ = try browser.value(
            "(() => { const field = document.querySelector('\(id)'); field.value = \(Browser.quoted(text)); field.dispatchEvent(new Event('input', { bubbles: true })); })()"
        )
    }

    /// Chooses a file of lines to import.
    private func choose(_ browser: Browser, _ text: String) throws {
        _ = try browser.value(
            """
            (() => {
              const files = new DataTransfer();
              files.items.add(new File([\(Browser.quoted(text))], "actions.ndjson"));
              const field = document.querySelector("#import-file");
              field.files = files.files;
              field.dispatchEvent(new Event("change"));
            })()
            """)
    }

    @Test(arguments: [("light", 1_360), ("dark", 1_360), ("light", 360)])
    func `what came to nothing is shown among the actions, grey and with the reason`(
        scheme: String, width: Int
    ) throws {
        let scene = try ConsoleScene([sale], width: width, scheme: scheme)
        let browser = scene.browser
        try browser.wait(for: "document.querySelectorAll('.entry').length === 2")
        // What comes to nothing is told only from the moment on at which the stream is open.
        try scene.dispatch([increment])
        try browser.wait(for: "document.querySelectorAll('.entry').length === 3")
        try scene.dispatch([.action("till/sold", "ten")])
        try browser.wait(for: ".entry.away .type", toSay: "till/sold")
        try browser.wait(for: ".entry.away .reason", toSay: "misfit at till: the payload does not fit: ")
        try browser.click(".entry.away")
        try browser.wait(for: "#causes", toSay: "It came to nothing there")
        try browser.keepPicture("turned-away-\(scheme)-\(width)")
        try browser.press("Escape")
        try browser.click("#filter-away")
        try browser.wait(for: "document.querySelectorAll('.entry.away').length === 0")
        try browser.wait(for: "document.querySelector('#tail-command').textContent === 'ctl watch'")
        scene.expectQuiet()
    }

    @Test func `an action that a closed gate keeps from an instance is shown as such, beside itself`() throws
    {
        let scene = try ConsoleScene()
        let browser = scene.browser
        try scene.dispatch([increment])
        try browser.wait(for: "document.querySelectorAll('.entry').length === 1")
        try browser.click("[aria-label='gate of eu']")
        try scene.giveToken()
        try browser.wait(for: "#announcement", toSay: "eu: the gate was active, and is bypass")
        try scene.dispatch([increment])
        try browser.wait(for: ".entry.away .reason", toSay: "gated at eu: its gate is closed")
        #expect(try browser.value("document.querySelectorAll('.entry.away').length") == 1)
        try browser.click(".entry.away")
        try browser.wait(
            for: "#causes", toSay: "A closed gate kept it from there. The journal has the action itself.")
        scene.expectQuiet()
    }

    @Test func `payloads are searched back into the past, which says how far`() throws {
        let scene = try ConsoleScene(
            [.action("eu/increment", ["by": 77_777])]
                + (1...400).map { .action("eu/increment", ["by": Value($0)]) })
        let browser = scene.browser
        try browser.wait(for: "document.querySelectorAll('.entry').length === 50")
        try browser.click("#filter-text")
        try browser.write("77777")
        try browser.wait(for: "document.querySelectorAll('.entry').length === 1")
        #expect(try browser.text(".entry .payload") == #"{"by":77777}"#)
        try browser.wait(for: "#older-note", toSay: "The journal is searched to its beginning.")
        scene.expectQuiet()
    }

    @Test func `two moments are compared, step by step to what changed something`() throws {
        let nothing = Value.action("nobody/hears")
        let scene = try ConsoleScene(
            [increment, nothing, nothing, nothing, increment, nothing], height: 1_400)
        let browser = scene.browser
        try browser.wait(for: "document.querySelector('#moment-to').value === '6'")
        #expect(
            try browser.text("#compare-command") == "diff <(gatehouse state --at 5) <(gatehouse state --at 6)"
        )
        try browser.click("#compare")
        try browser.wait(for: "#stretch-changes", toSay: "The state is the same at both.")
        try browser.click("#change-before")
        try browser.wait(for: "#stretch-changes", toSay: "/orders/eu/count")
        #expect(try browser.value("document.querySelector('#moment-from').value") == "4")
        #expect(try browser.text("#stretch-changes del") == "1")
        #expect(try browser.text("#stretch-changes ins") == "2")
        try browser.wait(
            for: "#stretch-note", toSay: "1 difference between the states after actions 4 and 5.")
        try browser.click("#change-before")
        try browser.wait(
            for: "#stretch-note", toSay: "1 difference between the states after actions 0 and 1.")
        try browser.click("#change-before")
        try browser.wait(for: "#stretch-note", toSay: "No action up to 0 changed the state.")
        try browser.click("#change-after")
        try browser.wait(
            for: "#stretch-note", toSay: "1 difference between the states after actions 4 and 5.")
        try browser.keepPicture("moments")
        try browser.click("#change-after")
        try browser.wait(for: "#stretch-note", toSay: "No action after 5 changed the state.")
        // The file on the disk does not matter for it.
        try scene.configure(#", { "id": "more", "librari": "#)
        try browser.click("#change-before")
        try browser.wait(
            for: "#stretch-note", toSay: "1 difference between the states after actions 0 and 1.")
        scene.expectQuiet()
    }

    @Test func `a stretch is exported as the command prints it, and imported again with counts`() throws {
        let scene = try ConsoleScene([sale, .action("note", ["text": "\u{85}é\"}{[\\"]), increment])
        let browser = scene.browser
        try browser.wait(for: "document.querySelector('#moment-to').value === '4'")
        try fill(browser, "#moment-from", "0")
        #expect(try browser.text("#export-command") == "gatehouse history --json --from 1 --to 4")
        _ = try browser.value(Self.catchDownloads)
        try browser.click("#export")
        try browser.wait(for: "#stretch-note", toSay: "4 actions exported.")
        #expect(try browser.value("window.savedName") == "actions-1-4.ndjson")
        let lines = try #require(try browser.value("window.saved.text()").stringValue)
        #expect(try lines == scene.call("history", "--json", "--from", "1", "--to", "4").output)
        try choose(browser, lines + #"{"type":"eu/increment","payload":{"by":2}}"# + "\n")
        try scene.giveToken()
        try browser.wait(
            for: "#stretch-note",
            toSay:
                "4 actions dispatched; 1 recorded action left out, because what was dispatched leads to them again."
        )
        try browser.wait(for: "#fact-journal", toSay: "9")
        try choose(browser, #"{"type":"eu/increment"}"# + "\nnonsense\n")
        try browser.wait(for: "#stretch-note", toSay: "none from there up to line 2")
        try browser.keepPicture("stretch")
        scene.expectQuiet()
    }
}
