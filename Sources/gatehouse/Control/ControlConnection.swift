// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseControl
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// A connection to the control socket of a host: one request and answer at a time.
final class ControlConnection {
    /// The reason why there is no answer.
    enum Failure: Error, Equatable {
        /// No host can be reached; a sentence.
        case noHost(String)
        /// The host has closed the connection.
        case ended
        /// The host refuses with this error.
        case refused(ControlError)
    }

    /// The name of the host, as far as it is known.
    let name: String
    /// The descriptor of the connected socket.
    let descriptor: Int32
    /// The path of the host's socket.
    private let path: String
    /// A descriptor of the host's process, readable when it has ended; nil where it cannot be seen.
    private let process: Int32?
    /// Received bytes that have not been taken.
    private var input = PendingLines()
    /// The number of the last request.
    private var lastRequest = 0

    /// How long an answer may take, in milliseconds.
    private static let patience: Int32 = 10_000

    /// Connects to the host with a socket or a name, or to the only one.
    init(socket: String?, name: String?) throws(Failure) {
        (self.name, path) = if let socket { (socket, socket) } else { try Self.host(named: name) }
        let connected = LocalAddress.connect(to: path)
        guard connected >= 0 else {
            let reason =
                [ECONNREFUSED, ENOENT].contains(-connected)
                ? "no host is listening there" : SystemReason.text(of: -connected)
            throw .noHost("\(path): \(reason); see gatehouse ctl hosts")
        }
        guard ControlFolder.isTrusted(server: connected, at: path) else {
            close(connected)
            throw .noHost(
                "\(path): another user listens there, neither root nor the owner of the socket; see gatehouse ctl hosts"
            )
        }
        descriptor = connected
        let opened = gatehouse_open_process(gatehouse_local_process(connected))
        process = opened < 0 ? nil : opened
    }

    deinit {
        close(descriptor)
        if let process { close(process) }
    }

    /// Waits until the host's process has ended; returns whether it ended in good order, as far as visible.
    ///
    /// A host that ends in good order removes its socket.
    func waitForEnd() -> Bool {
        guard let process else { return true }
        var watched = [pollfd(fd: process, events: Int16(POLLIN), revents: 0)]
        _ = unsafe poll(&watched, 1, Self.patience)
        return unsafe access(path, F_OK) != 0
    }

    /// Finds the host with a name, or the only one.
    private static func host(named name: String?) throws(Failure) -> (String, String) {
        let hosts = ControlFolder.hosts()
        let names = hosts.map(\.name).joined(separator: ", ")
        guard let name else {
            if hosts.isEmpty {
                let distrusted = ControlFolder.distrusted
                throw .noHost(
                    distrusted.isEmpty
                        ? "no host of this user is running; start one with gatehouse run --control"
                        : "no host of this user is running; \(distrusted.joined(separator: " and ")) is skipped, because others may write to it"
                )
            }
            guard hosts.count == 1 else {
                throw .noHost("several hosts are running: \(names); choose one with --name")
            }
            return hosts[0]
        }
        if let host = hosts.first(where: { $0.name == name }) { return host }
        let hint =
            NearMiss.suggestion(for: name, among: hosts.map(\.name)).map { "did you mean \($0)?" }
            ?? (hosts.isEmpty ? "none is" : "running: \(names)")
        throw .noHost("no host named \(name) is running; \(hint)")
    }

    // MARK: - Requests

    /// Sends a request and waits for the answer.
    ///
    /// - Parameters:
    ///   - waits: whether the answer may take any time.
    ///   - times: as how many requests the time counts that it may take.
    func ask(
        _ method: String, _ parameters: Members = [:], waits: Bool = false, times: Int = 1
    ) throws(Failure) -> Value {
        let id = send(method, parameters)
        while true {
            let message = try next(atMost: waits ? -1 : Self.patience * Int32(clamping: times))
            if message["id"] == nil { continue }
            // An unsolicited message of the host has no id, and is its last message.
            if message["id"] == Value(id) || message["error"] != nil { return try Self.result(of: message) }
        }
    }

    /// Sends a request and returns its number.
    func send(_ method: String, _ parameters: Members = [:]) -> Int {
        lastRequest += 1
        var request: Members = ["jsonrpc": "2.0", "id": Value(lastRequest), "method": .string(method)]
        if !parameters.isEmpty { request["params"] = .object(parameters) }
        // Reading the answer detects a host that has gone.
        _ = SystemFile.write(Array((Value.object(request).json() + "\n").utf8), to: descriptor)
        return lastRequest
    }

    /// Extracts the result from an answer.
    static func result(of message: Value) throws(Failure) -> Value {
        if let result = message["result"] { return result }
        let error = message["error"]
        throw .refused(
            ControlError(
                code: error?["code"]?.intValue ?? 0,
                message: error?["message"]?.stringValue ?? "the answer is none: \(message.json())",
                data: error?["data"]))
    }

    /// Returns the next line of the host.
    ///
    /// - Parameter limit: in milliseconds; -1 for no limit.
    func next(atMost limit: Int32 = -1) throws(Failure) -> Value {
        while true {
            if let message = try takeMessage() { return message }
            var watched = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            let found = unsafe poll(&watched, 1, limit)
            if found < 0, errno == EINTR { continue }
            guard found != 0 else {
                throw .noHost(
                    "\(name) has not answered for \(limit / 1_000) s; look at what its process is doing")
            }
            try read()
        }
    }

    /// Returns the next message that has already arrived; nil when no line is complete.
    func takeMessage() throws(Failure) -> Value? {
        guard let line = input.next() else { return nil }
        do {
            return try JSONText.parse(line)
        } catch {
            throw .noHost("\(name): the answer is not JSON: \(error); is it a host's socket?")
        }
    }

    /// Reads the available bytes; waits when there are none.
    func read() throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: SystemFile.chunk)
        let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw .ended }
        input.append(chunk[..<count])
    }
}
