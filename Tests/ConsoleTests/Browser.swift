// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseHostTesting
import GatehouseValue
import Glibc

/// A headless Chromium with one page, driven through pipes in the DevTools protocol. Not thread-safe.
///
/// Each wait ends with what is waited for, or fails after two minutes. It uses a profile of its own, and asks nobody but the
/// addresses that it is sent to.
final class Browser {
    /// Something that the page or the browser did not do.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The program, where it is installed; nil where it is not.
    static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first(
        where: FileSystem.exists)

    /// What the page has asked for, in order.
    private(set) var requests: [String] = []
    /// What went wrong in it: exceptions, errors on its console, what its policy forbids.
    private(set) var errors: [String] = []

    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let toBrowser: Int32
    private let fromBrowser: Int32
    private var received: [UInt8] = []
    private var searched = 0
    private var lastNumber = 0
    private var answers: [Int: Value] = [:]
    private var session: String?

    private static let patience = Duration.seconds(120)

    /// Starts a browser with a window of this size, in points.
    init(width: Int = 1_360, height: Int = 900) throws {
        guard let program = Self.program else { throw Failure(description: "there is no Chromium") }
        folder = try TemporaryFolder()
        let (into, out) = (folder("into"), folder("out"))
        for path in [into, out] { try FileSystem.makePipe(path) }
        // Both ways, so that opening waits for nobody.
        toBrowser = unsafe Glibc.open(into, O_RDWR | O_CLOEXEC)
        fromBrowser = unsafe Glibc.open(out, O_RDWR | O_CLOEXEC)
        process = try ChildProcess(
            "/bin/sh",
            [
                "-c", #"exec "$0" "$@" 3<into 4>out >words 2>&1"#, program, "--headless",
                "--remote-debugging-pipe", "--no-sandbox", "--user-data-dir=" + folder("profile"),
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-default-apps", "--disable-domain-reliability", "--disable-sync",
                "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
                "--metrics-recording-only",
                "--no-default-browser-check", "--password-store=basic", "--use-mock-keychain",
                "--force-color-profile=srgb", "--hide-scrollbars", "--lang=en",
            ], in: folder.path, environment: ["HOME": folder.path], keeping: folder)
        let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? .null
        session = try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]?
            .stringValue
        for domain in ["Page", "Runtime", "Network", "Log"] { _ = try call(domain + ".enable") }
        try resize(width, height)
        try setScheme("light")
    }

    deinit {
        process.signal(SIGKILL)
        close(toBrowser)
        close(fromBrowser)
    }

    // MARK: - The page

    /// Goes to an address, and waits until the page is there.
    func open(_ address: String) throws {
        _ = try call("Page.navigate", ["url": .string(address)])
        try wait(for: "location.href !== 'about:blank' && document.readyState === 'complete'")
    }

    /// The value of an expression of the page's language.
    func value(_ expression: String) throws -> Value {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
        if let exception = answer["exceptionDetails"] {
            throw Failure(description: "\(expression): \(exception.json())")
        }
        return answer["result"]?["value"] ?? .null
    }

    /// Waits until an expression is true, which is looked at whenever the page has changed.
    func wait(for expression: String) throws {
        let watcher = """
            new Promise((resolve) => {
              const observer = new MutationObserver(() => look());
              const look = () => {
                let isTrue = false;
                try { isTrue = Boolean(\(expression)); } catch { /* Not yet. */ }
                if (isTrue) { observer.disconnect(); resolve(true); }
              };
              observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
              document.addEventListener("readystatechange", look);
              look();
            })
            """
        do {
            _ = try value(watcher)
        } catch let failure as Failure {
            let text = try? value("document.body.innerText").stringValue
            throw Failure(
                description:
                    "\(expression): not so; errors: \(errors); the page says: \(text ?? ""); \(failure)")
        }
    }

    /// The text of the element that a selector finds.
    func text(_ selector: String) throws -> String {
        try value("document.querySelector(\(Self.quoted(selector))).innerText").stringValue ?? ""
    }

    /// Waits until the element that a selector finds contains a text.
    func wait(for selector: String, toSay text: String) throws {
        try wait(
            for:
                "document.querySelector(\(Self.quoted(selector)))?.innerText.includes(\(Self.quoted(text)))")
    }

    /// Presses the mouse where the element is that a selector finds, until the element has received a click.
    ///
    /// The page may move while the press is on its way.
    func click(_ selector: String) throws {
        for _ in 1...20 {
            let place = try value(
                """
                new Promise((resolve) => {
                  const selector = \(Self.quoted(selector));
                  const place = () => {
                    const box = document.querySelector(selector).getBoundingClientRect();
                    return [box.x + box.width / 2, box.y + box.height / 2];
                  };
                  const settle = (last) => requestAnimationFrame(() => {
                    const now = place();
                    if (now.join() === last.join()) { resolve(now); } else { settle(now); }
                  });
                  window.isPressed = false;
                  addEventListener(
                    "click", (event) => { window.isPressed ||= event.target.closest(selector) !== null; },
                    { capture: true, once: true });
                  document.querySelector(selector).scrollIntoView({ block: "center" });
                  settle(place());
                })
                """)
            for type in ["mousePressed", "mouseReleased"] {
                _ = try call(
                    "Input.dispatchMouseEvent",
                    [
                        "type": .string(type), "x": place[0] ?? 0, "y": place[1] ?? 0, "button": "left",
                        "clickCount": 1,
                    ])
            }
            if try value("window.isPressed") == true { return }
        }
        throw Failure(description: "\(selector): no press arrived")
    }

    /// Drops a file with bytes onto the page.
    func drop(_ name: String, _ bytes: [UInt8]) throws {
        _ = try value(
            """
            (() => {
              const text = atob(\(Self.quoted(Data(bytes).base64EncodedString())));
              const files = new DataTransfer();
              files.items.add(new File([Uint8Array.from(text, (one) => one.charCodeAt(0))], \(Self.quoted(name))));
              document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
            })()
            """)
    }

    /// Presses a key, such as `Tab`, or a character.
    func press(_ key: String) throws {
        let codes = [
            "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
            "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40,
        ]
        // Those that write something have names of one character, apart from Enter.
        let text = key == "Enter" ? "\r" : codes[key] == nil || key == " " ? key : ""
        var event: Members = ["type": text.isEmpty ? "rawKeyDown" : "keyDown", "key": .string(key)]
        if let code = codes[key] { event["windowsVirtualKeyCode"] = Value(code) }
        event["code"] = .string(key == " " ? "Space" : key)
        if !text.isEmpty { event["text"] = .string(text) }
        _ = try call("Input.dispatchKeyEvent", .object(event))
        event["type"] = "keyUp"
        event["text"] = nil
        _ = try call("Input.dispatchKeyEvent", .object(event))
    }

    /// Writes a text where the focus is.
    func write(_ text: String) throws { _ = try call("Input.insertText", ["text": .string(text)]) }

    /// Gives the page another size; a narrow one is a phone.
    func resize(_ width: Int, _ height: Int) throws {
        _ = try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": Value(width), "height": Value(height), "deviceScaleFactor": 1,
                "mobile": .bool(width < 600),
            ])
    }

    /// Prefers light or dark colours, and no motion.
    func setScheme(_ scheme: String) throws {
        _ = try call(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .string(scheme)],
                    ["name": "prefers-reduced-motion", "value": "reduce"],
                ]
            ])
    }

    /// Keeps a picture of the page in `.build/console-screenshots`.
    func keepPicture(_ name: String) throws {
        let picture = try call("Page.captureScreenshot", ["format": "png"])["data"]?.stringValue ?? ""
        guard let bytes = Data(base64Encoded: picture), !bytes.isEmpty else {
            throw Failure(description: "no picture of \(name)")
        }
        let folder = BuiltProducts.folder + "/../../console-screenshots"
        _ = unsafe mkdir(folder, 0o755)
        try bytes.write(to: URL(filePath: "\(folder)/\(name).png"))
    }

    /// A text as the page's language has it.
    static func quoted(_ text: String) -> String { Value.string(text).json() }

    // MARK: - The protocol

    /// Asks for something, and waits for the answer.
    @discardableResult
    private func call(_ method: String, _ parameters: Value = [:]) throws -> Value {
        lastNumber += 1
        let number = lastNumber
        var request: Members = ["id": Value(number), "method": .string(method), "params": parameters]
        request["sessionId"] = session.map { .string($0) }
        var bytes = Array(Value.object(request).json().utf8)
        bytes.append(0)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(toBrowser, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw Failure(description: "\(method): the browser takes nothing") }
            rest = rest.dropFirst(count)
        }
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while answers[number] == nil { try receive(until: deadline, waitingFor: method) }
        let answer = answers.removeValue(forKey: number) ?? .null
        if let error = answer["error"] { throw Failure(description: "\(method): \(error.json())") }
        return answer["result"] ?? .null
    }

    /// Takes what comes next from the browser.
    private func receive(until deadline: ContinuousClock.Instant, waitingFor method: String) throws {
        var watched = [pollfd(fd: fromBrowser, events: Int16(POLLIN), revents: 0)]
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        guard left > 0, unsafe poll(&watched, 1, Int32(left.rounded(.up))) > 0 else {
            let words = (try? FileSystem.read(folder("words"))) ?? []
            throw Failure(
                description: "\(method): time is up; \(String(decoding: words.suffix(2_000), as: UTF8.self))")
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.read(fromBrowser, &chunk, chunk.count)
        guard count > 0 else { return }
        received += chunk[..<count]
        while let end = received[searched...].firstIndex(of: 0) {
            let message = try JSONText.parse(Array(received[..<end]))
            received.removeSubrange(...end)
            searched = 0
            if let number = message["id"]?.intValue { answers[number] = message } else { note(message) }
        }
        searched = received.count
    }

    /// Takes note of what the page does.
    private func note(_ event: Value) {
        let facts = event["params"] ?? .null
        switch event["method"]?.stringValue {
        case "Network.requestWillBeSent": requests.append(facts["request"]?["url"]?.stringValue ?? "")
        case "Runtime.exceptionThrown": errors.append(facts["exceptionDetails"]?.json() ?? "")
        case "Runtime.consoleAPICalled":
            if ["error", "warning", "assert"].contains(facts["type"]?.stringValue ?? "") {
                errors.append(facts["args"]?.json() ?? "")
            }
        case "Log.entryAdded":
            let text = facts["entry"]?["text"]?.stringValue ?? ""
            // That a change takes a token is how the page learns that it must ask for one.
            if ["error", "warning"].contains(facts["entry"]?["level"]?.stringValue ?? ""),
                !text.contains("a status of 401")
            {
                errors.append(text)
            }
        default: break
        }
    }
}
