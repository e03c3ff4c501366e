// SPDX-License-Identifier: Apache-2.0

import CNettle
import GatehouseHostTesting
import GatehouseValue

/// A running host that serves HTTP, with a counter behind it; its input stays open.
final class HTTPHost {
    let scene: Scene
    let child: ChildProcess
    /// The port that the system has chosen.
    let port: Int

    /// The token that who changes something has to show.
    static let token = "open sesame"
    /// The secret of the hook `github`.
    static let secret = "hush"

    /// The text of a configuration.
    ///
    /// - Parameters:
    ///   - settings: more members of the settings of the instance `http`.
    ///   - members: more members of the configuration.
    static func configuration(
        port: Int = 0, _ settings: String = "", members: String = "", entries: String = "",
        lift: String = #""dependencies": ["ingress", "control", "clock"]"#
    ) -> String {
        """
        { "name": "shop", "discovery": "ignore", \(members)"plugins": [
            { "id": "http", "lift": { \(lift) }, "settings": {
                "listen": "127.0.0.1:\(port)", "tokenFile": "token"\(settings.isEmpty ? "" : ", " + settings),
                "hooks": { "github": { "secretFiles": ["secret", "secret.new"] } } } },
            { "id": "counter" }\(entries) ] }
        """
    }

    /// Starts a host, and waits until it serves.
    init(
        _ configuration: String = configuration(), _ arguments: [String] = [], libraries: [String] = [],
        in old: Scene? = nil
    ) throws {
        let scene = try old ?? Scene(configuration, libraries: ["HTTPPlugin", "CounterPlugin"] + libraries)
        for (name, text) in [("token", Self.token), ("secret", Self.secret), ("secret.new", "new")] {
            try FileSystem.write(Array((text + "\n").utf8), to: scene.folder(name), mode: 0o600)
        }
        self.scene = scene
        child = try ChildProcess(
            BuiltProducts.program, ["run"] + arguments, in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
        port = try Self.port(of: child)
    }

    /// Waits until a host says where it listens.
    static func port(of child: ChildProcess) throws -> Int {
        let told = "http: listening at http://127.0.0.1:"
        var port: Int?
        try child.waitForErrors { errors in
            guard let start = errors.firstRange(of: told)?.upperBound,
                let end = errors[start...].firstIndex(of: "\n")
            else { return false }
            port = Int(errors[start..<end])
            return true
        }
        guard let port else { throw SystemFailure("the host does not say at which port it listens") }
        return port
    }

    /// A connection of one's own.
    func connect() throws -> HTTPConnection { HTTPConnection(try LocalConnection(port: port)) }

    /// Asks once, on a connection of its own.
    func ask(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) throws -> HTTPConnection.Answer {
        let connection = try connect()
        connection.send(method, path, fields, body)
        return try connection.receive()
    }

    /// Brings lines, with the token.
    func bring(_ lines: String) throws -> HTTPConnection.Answer {
        try ask("POST", "/actions", ["Authorization": "Bearer " + Self.token], lines)
    }

    /// Asks for something by the control protocol, with the token.
    func control(_ method: String, _ parameters: String) throws -> Value {
        let answer = try ask(
            "POST", "/control",
            ["Authorization": "Bearer " + Self.token, "Content-Type": "application/json"],
            #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#)
        return try JSONText.parse(answer.body)
    }

    /// The fields of a delivery as GitHub sends it.
    static func delivery(
        _ id: String, event: String = "push", body: String, secret: String = secret
    ) -> [String: String] {
        [
            "Content-Type": "application/json", "X-GitHub-Event": event, "X-GitHub-Delivery": id,
            "X-Hub-Signature-256": "sha256=" + signature(of: body, with: secret),
        ]
    }

    /// Delivers a webhook as GitHub does.
    func deliver(
        _ id: String, event: String = "push", body: String = "{}", secret: String = secret
    ) throws -> HTTPConnection.Answer {
        try ask(
            "POST", "/hooks/github", Self.delivery(id, event: event, body: body, secret: secret), body)
    }

    /// The HMAC-SHA256 of a text, in hexadecimal digits.
    static func signature(of text: String, with secret: String) -> String {
        var context = hmac_sha256_ctx()
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe nettle_hmac_sha256_set_key(&context, secret.utf8.count, Array(secret.utf8))
        unsafe nettle_hmac_sha256_update(&context, text.utf8.count, Array(text.utf8))
        unsafe nettle_hmac_sha256_digest(&context, digest.count, &digest)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Ends the host as an operator does; gives what it left.
    func finish() throws -> ChildProcess.Outcome {
        child.signal(15)
        return try child.finish()
    }
}

/// A client that sends requests one after the other.
final class HTTPConnection {
    /// What came back.
    struct Answer {
        let status: Int
        /// The fields of the header by their names in lower case.
        let fields: [String: String]
        let body: String
    }

    /// The connection, for requests that are none.
    let raw: LocalConnection

    init(_ raw: LocalConnection) { self.raw = raw }

    /// Sends a request as it should be.
    func send(_ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = "") {
        let header = ["Host": "127.0.0.1", "Content-Length": "\(body.utf8.count)"].merging(fields) { $1 }
            .map { "\($0): \($1)\r\n" }.joined()
        raw.write("\(method) \(path) HTTP/1.1\r\n\(header)\r\n\(body)")
    }

    /// The header of the next answer, or of the end that the server makes.
    func receiveHeader() throws -> (status: Int, fields: [String: String]) {
        guard let first = raw.readLine() else { throw SystemFailure("the server hung up") }
        let status = Int(first.split(separator: " ").dropFirst().first ?? "") ?? 0
        var fields: [String: String] = [:]
        while let line = raw.readLine(), line != "\r" {
            let parts = line.split(separator: ":", maxSplits: 1).map {
                $0.trimmingPrefix(" ").filter { $0 != "\r" && $0 != "\r\n" }
            }
            if parts.count == 2 { fields[parts[0].lowercased()] = parts[1] }
        }
        return (status, fields)
    }

    /// The next answer as a whole.
    func receive() throws -> Answer {
        let (status, fields) = try receiveHeader()
        let body = raw.read(Int(fields["content-length"] ?? "") ?? 0) ?? []
        return Answer(status: status, fields: fields, body: String(decoding: body, as: UTF8.self))
    }

    /// Reads lines until one contains a text; gives it.
    func line(with text: String) throws -> String {
        while let line = raw.readLine() {
            if line.contains(text) { return String(line.filter { $0 != "\r" && $0 != "\r\n" }) }
        }
        throw SystemFailure("the server hung up before \(text)")
    }
}
