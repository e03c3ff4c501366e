// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization

@testable import HTTPPlugin

/// The routes of an instance without a server, before a host that answers as a test says.
final class RouterScene: Sendable {
    /// What the host was brought, in order.
    let brought = Mutex<[String]>([])
    /// What the instance told the operator.
    let told = Mutex<[String]>([])
    /// What it emitted.
    let emitted = Mutex<[HTTP.Action]>([])
    /// What the host says of each delivery.
    let receipt = Mutex<Result<HostIngress.Receipt, HostIngress.Failure>>(.success(RouterScene.accepted))
    /// What the host tells whoever watches; nil for a host that finds a fault with each filter.
    let news = Mutex<HostNews?>(nil)
    /// The files of the secrets, in order.
    let secretPaths: [SecretPath]
    private let folder: TemporaryFolder
    private let now: Int?
    private let routes = Mutex<Router?>(nil)

    /// One action that was taken.
    static var accepted: HostIngress.Receipt {
        var receipt = HostIngress.Receipt()
        (receipt.lines, receipt.accepted) = (1, 1)
        return receipt
    }

    /// Routes with settings; the token is `open`, the secret of hooks `hush`.
    convenience init(
        _ change: (inout HTTP.Settings) -> Void = { _ in }, state: HTTP.State = HTTP.State()
    ) throws {
        try self.init(secrets: ["hush"])
        open(state, change)
    }

    /// A scene with these secrets, which has no routes before `open`.
    ///
    /// - Parameter now: what the clock shows, in seconds since 1970; nil for an instance without a clock.
    init(secrets: [String], now: Int? = nil) throws {
        folder = try TemporaryFolder()
        self.now = now
        secretPaths = secrets.indices.compactMap { [folder] in SecretPath(folder("secret\($0)")) }
        for (name, text) in [("token", "open\n")] + secrets.enumerated().map({ ("secret\($0)", $1) }) {
            _ = try folder.write(text, to: name)
            try FileSystem.setMode(0o600, of: folder(name))
        }
    }

    /// Opens the routes.
    func open(_ state: HTTP.State = HTTP.State(), _ change: (inout HTTP.Settings) -> Void) {
        let context = self.context(change)
        let throttledLog = ThrottledLog(log: context.log, count: context.count)
        let router = Router(context, DeliveryWindow(state), throttledLog) { action in
            self.emitted.withLock { $0.append(action.action) }
        }
        routes.withLock { $0 = router }
    }

    /// What an instance with these settings is made with.
    func context(_ change: (inout HTTP.Settings) -> Void) -> HTTP.Context {
        var settings = HTTP.Settings()
        settings.tokenFile = folder("token")
        settings.hooks = ["github": Hook(.github, secretFiles: secretPaths)]
        change(&settings)
        let services = HostServices(
            instance: "http",
            log: PluginLog { level, line in self.told.withLock { $0.append("\(level): \(line)") } },
            clock: now.map { now in HostClock(clock: ContinuousClock()) { Double(now) } }, dataDirectory: nil,
            ingress: HostIngress { delivery async throws(HostIngress.Failure) in
                if case .lines(let bytes, _) = delivery {
                    self.brought.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                }
                return try self.receipt.withLock { $0 }.get()
            },
            control: HostControl { method, parameters throws(HostControl.Failure) in
                guard method != "gone" else {
                    throw HostControl.Failure(
                        code: -32601, message: "unknown", data: ["method": .string(method)])
                }
                return ["method": .string(method), "value": parameters]
            } watch: { _ throws(HostControl.Failure) in
                guard let news = self.news.withLock({ $0 }) else {
                    throw HostControl.Failure(code: -32602, message: "/params/types: wrong")
                }
                return news
            }, status: PluginStatus())
        return HTTP.Context(settings: settings, services: services)
    }

    /// Lets go of the routes, which hold the scene.
    func end() { routes.withLock { $0 = nil } }

    /// A round of the server.
    func tick() { routes.withLock { $0 }?.tick() }

    /// The end of the server.
    func stop() { routes.withLock { $0 }?.stop() }

    /// Asks for something as a client of this machine does.
    func ask(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) async -> HTTPResponse {
        switch judge(method, path, fields) {
        case .answer(let answer): return answer
        case .read(let most, let then):
            return body.utf8.count > most ? .refusal(413, "\(most)") : await then(Array(body.utf8))
        }
    }

    /// What a client of this machine is told, or what is wanted of it, when its header is there.
    func judge(_ method: String, _ path: String, _ fields: [String: String] = [:]) -> HTTPVerdict {
        guard let router = routes.withLock({ $0 }) else {
            return .answer(.refusal(500, "the scene has ended"))
        }
        let query = path.split(separator: "?", maxSplits: 1).map(String.init)
        let request = HTTPRequest(
            method: method, path: query[0],
            query: (query.count > 1 ? query[1].split(separator: "&") : []).map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            },
            fields: HeaderFields(["host": "127.0.0.1:8080"].merging(fields) { $1 }))
        return router.judge(request)
    }

    /// A delivery of GitHub, signed with a secret.
    func deliver(
        _ id: String = "one", event: String = "push", body: String = #"{"ref":"main"}"#,
        secret: String = "hush"
    ) async -> HTTPResponse {
        let signature = Signature.hex(Signature.of(Array(body.utf8), with: Array(secret.utf8)))
        return await ask(
            "POST", "/hooks/github",
            [
                "x-hub-signature-256": "sha256=" + String(decoding: signature, as: UTF8.self),
                "x-github-event": event, "x-github-delivery": id, "content-type": "application/json",
            ], body)
    }
}

extension HTTPResponse {
    /// The text of an answer that is no stream.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// The value of a header field.
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension HeaderFields {
    /// Creates fields from names and values.
    init(_ fields: [String: String]) {
        self.init()
        for (name, value) in fields { add(Array(name.utf8), Array(value.utf8)) }
        finish()
    }
}
