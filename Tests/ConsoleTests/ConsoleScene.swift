// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// A host named `shop` with a journal and the plugin `http`, and a browser that looks at its console.
final class ConsoleScene {
    let browser: Browser
    /// Where the console is served.
    let address: String
    private let host: ChildProcess
    private let control: LocalConnection
    private let folder: TemporaryFolder

    /// The text of the configuration, which lacks its last entries.
    private let configuration: String

    /// What the operator has to know to change something.
    static let token = "a-token-of-forty-characters-for-the-tests"

    /// Writes another configuration, which the host does not look at by itself.
    ///
    /// - Parameter entries: after those that there always are, each after a comma.
    func configure(_ entries: String) throws {
        try folder.write(configuration + entries + " ] }", to: "plugins.json")
    }

    /// Starts both, and waits until the console shows the host.
    ///
    /// - Parameters:
    ///   - actions: what the host has done before anybody looks.
    ///   - settings: members of the settings of `http`, each after a comma.
    ///   - counters: how many more instances there are, named `counter-1` and so on.
    ///   - state: a member of the configured state, after a comma.
    ///   - rules: the settings of an instance of `rules`; nil for none.
    ///   - isSupervised: whether a plugin is there that can end the host, and a supervisor that starts it again.
    ///   - hasToken: whether the settings of `http` name the file of the token.
    ///   - isOpen: whether the console shows the host before it knows the token.
    ///   - width: of the page, in points; a narrow one is a phone.
    ///   - scheme: the colours that are preferred, `light` or `dark`.
    init(
        _ actions: [Value] = [], settings: String = "", counters: Int = 0, state: String = "",
        rules: String? = nil,
        isSupervised: Bool = false, hasToken: Bool = true, isOpen: Bool = true,
        width: Int = 1_360, height: Int = 900, scheme: String = "light"
    ) throws {
        let port = try LocalPort.free()
        address = "http://127.0.0.1:\(port)"
        let token = hasToken ? #", "tokenFile": "token""# : ""
        let members = isSupervised ? #""supervise": { "pause": 0, "crashes": 1 }, "# : ""
        configuration = """
            { "name": "shop", "discovery": "ignore", "journal": { "directory": "journal" }, \(members)
              "state": { "features": { "us": true }\(state) },
              "plugins": [
                { "id": "http", "settings": { "listen": "127.0.0.1:\(port)"\(token)\(settings) },
                  "lift": { "dependencies": ["control", "ingress", "clock"] } },
                { "id": "till" },
                { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } },
                { "id": "us", "library": "libCounterPlugin.so", "gate": { "state": "/features/us" } }
            """
            + (0..<counters).map { #", { "id": "counter-\#($0 + 1)", "library": "libCounterPlugin.so" }"# }
            .joined() + (rules.map { #", { "id": "rules", "settings": \#($0) }"# } ?? "")
        folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
        for library in ["HTTPPlugin", "CounterPlugin", "TillOnePlugin", "EndingPlugin", "HTTPClientPlugin"]
            + (isSupervised ? ["FatalPlugin"] : []) + (rules == nil ? [] : ["RulesPlugin"])
        {
            try folder.copyLibrary(library, as: "plugins/lib\(library).so")
        }
        let entries = isSupervised ? #", { "id": "fatal" }"# : ""
        try folder.write(configuration + entries + " ] }", to: "plugins.json")
        try folder.write(Self.token + "\n", to: "token")
        try FileSystem.setMode(0o600, of: folder("token"))
        host = try ChildProcess(
            BuiltProducts.program,
            ["run", "--control", "--print", "none"] + (isSupervised ? ["--supervise"] : []),
            in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path], keeping: folder
        )
        try host.waitForErrors("shop can be controlled")
        try host.waitForErrors("listening at " + address)
        control = try LocalConnection(folder("gatehouse/shop.sock"))
        browser = try Browser(width: width, height: height)
        try browser.setScheme(scheme)
        if !actions.isEmpty { try dispatch(actions) }
        try browser.open(address + "/")
        guard isOpen else { return }
        try browser.wait(for: "#link", toSay: "connected")
        try browser.wait(
            for:
                "document.querySelectorAll('#chain-rows tr').length === \(min(100, counters + 4 + (isSupervised ? 1 : 0) + (rules == nil ? 0 : 1)))"
        )
    }

    /// Lets the host process actions; comes back when it has.
    func dispatch(_ actions: [Value]) throws {
        let request: Value = [
            "jsonrpc": "2.0", "id": 1, "method": "dispatch", "params": ["actions": .array(actions)],
        ]
        control.write(request.json() + "\n")
        let answer = try JSONText.parse(try #require(control.readLine()))
        #expect(answer["result"]?["dispatched"] == Value(actions.count))
    }

    /// Runs the program beside the host, in its folder.
    func call(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: arguments, in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path])
    }

    /// Ends the host by an action, and waits until its supervisor has started another one behind a closed gate.
    func crash() throws {
        control.write(
            #"{"jsonrpc":"2.0","id":1,"method":"dispatch","params":{"action":{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}}}"#
                + "\n")
        #expect(control.readLine() == nil)
        try host.waitForErrors("fatal: it is not loaded")
    }

    /// Gives the token to the console, which asks for it.
    func giveToken() throws {
        try browser.wait(for: "document.querySelector('#token-dialog').open")
        try browser.write(Self.token)
        try browser.press("Enter")
    }

    /// Fails when the page has done something that it should not.
    func expectQuiet() {
        #expect(browser.errors == [])
        #expect(browser.requests.allSatisfy { $0.hasPrefix(address + "/") }, "\(browser.requests)")
        #expect(!browser.requests.isEmpty)
    }
}

extension Value {
    /// An action in wire form.
    static func action(_ type: String, _ payload: Value? = nil) -> Value {
        var members: Members = ["type": .string(type)]
        members["payload"] = payload
        return .object(members)
    }
}
