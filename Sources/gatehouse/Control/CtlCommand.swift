// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseControl
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse ctl`: sends a request to a running host.
struct CtlCommand {
    /// The request and the host to send it to.
    let options: CtlOptions

    /// Sends the request, prints the answer, and returns the exit code.
    func run() -> ExitCode {
        _ = gatehouse_outlive(SIGPIPE)
        if case .hosts = options.request { return printHosts() }
        do throws(ControlConnection.Failure) {
            let host = try ControlConnection(options)
            do throws(ControlConnection.Failure) {
                return try ask(host)
            } catch .ended {
                StandardError.writeLine("gatehouse: \(host.name) has ended")
                return .unavailable
            }
        } catch {
            switch error {
            case .noHost(let sentence): StandardError.writeLine("gatehouse: \(sentence)")
            case .ended: break
            case .refused(let refusal):
                StandardError.writeLine("gatehouse: \(Self.words(of: refusal))")
                return Self.exitCode(of: refusal)
            }
            return .unavailable
        }
    }

    /// Prints the running hosts.
    private func printHosts() -> ExitCode {
        let hosts = ControlFolder.hosts()
        if options.isJSON {
            Results.write(
                .array(hosts.map { ["name": .string($0.name), "socket": .string($0.path)] }), .pretty)
        } else {
            let width = hosts.map(\.name.count).max() ?? 0
            for host in hosts { Results.writeLine(TextTable.padded(host.name, width) + "  " + host.path) }
        }
        return .success
    }

    /// Sends the request to one host and prints the answer.
    private func ask(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        switch options.request {
        case .status: show(try host.ask("status"), StatusText.text)
        case .plan: return showReload(try host.ask("plan", waits: true))
        case .reload(let expected, let history, let isStrict):
            var parameters: Members = [:]
            if let expected { parameters["expect"] = Value(expected) }
            if let history { parameters["history"] = Value(history) }
            if isStrict { parameters["strict"] = true }
            return showReload(try host.ask("reload", parameters, waits: true))
        case .gate(let id, let isOpened):
            let answer = try host.ask(
                "gate", ["id": .string(id), "position": isOpened ? "open" : "close"])
            show(answer) {
                let gate = $0["gate"]?.stringValue ?? ""
                if let count = $0["partitions"]?.intValue {
                    return
                        "\(id): the gate will be \(gate) in \(Counted.text(count, "partition")), each when it gets to it\n"
                }
                return "\(id): the gate was \($0["was"]?.stringValue ?? ""), and is \(gate)\n"
            }
        case .release(let name, catchesUp: true):
            return showReload(
                try host.ask("release", ["name": .string(name), "catchUp": true], waits: true))
        case .release(let name, catchesUp: false):
            show(try host.ask("release", ["name": .string(name)])) { answer in
                "\(name) is out of quarantine; the configuration is reloaded\n"
                    + (answer["skipped"]?.arrayValue ?? []).map(StatusText.skipped).joined()
            }
        case .dispatch(let type, let payload): return try dispatch(type, payload, host)
        case .dispatchInput: return try DispatchedInput(host: host, isJSON: options.isJSON).run()
        case .deadLetters(let kind, let limit, let shown):
            var parameters: Members = [:]
            if let kind { parameters["kind"] = .string(kind) }
            if let limit { parameters["limit"] = Value(limit) }
            if let shown { parameters["id"] = Value(shown) }
            show(
                try host.ask("deadLetters", parameters),
                shown == nil ? DeadLetterText.list : DeadLetterText.whole)
        case .cluster(let isWhole):
            show(try host.ask("cluster", waits: true)) { ClusterText.text($0, isWhole: isWhole) }
        case .drain(let name, let isUndone):
            var parameters: Members = ["host": .string(name)]
            if isUndone { parameters["undo"] = true }
            show(try host.ask("clusterDrain", parameters, waits: true), ClusterText.drained)
        case .clusterReload: show(try host.ask("clusterReload", waits: true), ClusterText.reloading)
        case .redispatch(let ids, let kind, let action):
            var parameters: Members = [:]
            if let action {
                guard let edited = Self.edited(action) else { return .usage }
                parameters["action"] = edited
            }
            return try settle("redispatch", ids, kind, parameters, host)
        case .discard(let ids, let kind): return try settle("discard", ids, kind, [:], host)
        case .state(let pointer): return try printState(host, pointer)
        case .watch(let types, let instance, let pointer):
            return try WatchedHost(host: host, isJSON: options.isJSON).run(types, instance, pointer)
        case .metrics: Results.write(try host.ask("metrics").stringValue ?? "")
        case .stop: return try stop(host)
        case .top(let isOnce): return try TopCommand(host: host, isOnce: isOnce).run()
        case .hosts: break
        }
        return .success
    }

    /// Prints an answer, as JSON with `--json` and as text otherwise.
    private func show(_ answer: Value, _ text: (Value) -> String) {
        if options.isJSON { Results.write(answer, .pretty) } else { Results.write(text(answer)) }
    }

    /// Prints what a reload did, or would do; returns the exit code of `check` when it was refused.
    private func showReload(_ answer: Value) -> ExitCode {
        show(answer) { $0["text"]?.stringValue ?? "" }
        guard answer["result"] == "refused" else { return .success }
        let isLibraryToBlame =
            answer["problems"]?.arrayValue?.contains { $0["severity"] == "error" } != true
            && answer["refusals"]?.arrayValue?.allSatisfy { $0["library"] != nil } == true
        return isLibraryToBlame ? .pluginRefused : .configuration
    }

    /// Has a host process one action.
    private func dispatch(
        _ type: String, _ payload: String?, _ host: ControlConnection
    ) throws(ControlConnection.Failure) -> ExitCode {
        let action: Value
        var part = "action"
        do {
            if type.hasPrefix("{") {
                action = try JSONText.parse(type)
            } else if let payload {
                part = "payload"
                action = ["type": .string(type), "payload": try JSONText.parse(payload)]
            } else {
                action = ["type": .string(type)]
            }
        } catch {
            StandardError.writeLine(
                "gatehouse: the \(part): column \(error.position.column): \(error.reason); write JSON, a text in double quotes"
            )
            return .usage
        }
        let answer = try host.ask("dispatch", ["action": action])
        show(answer, DispatchedInput.text)
        return answer["reported"] == 0 ? .success : .badData
    }

    /// The action to dispatch instead of that of a dead letter, read from standard input where it is `-`; nil, after reporting it, when
    /// it is not JSON.
    private static func edited(_ action: String) -> Value? {
        var text = action
        if action == "-" {
            text = ""
            while let line = readLine(strippingNewline: false) { text += line }
        }
        do {
            return try JSONText.parse(text)
        } catch {
            StandardError.writeLine(
                "gatehouse: the action: line \(error.position.line), column \(error.position.column): \(error.reason); write JSON, a text in double quotes"
            )
            return nil
        }
    }

    /// Has a host process dead letters again, or discard them.
    private func settle(
        _ method: String, _ ids: [Int]?, _ kind: String?, _ further: Members, _ host: ControlConnection
    ) throws(ControlConnection.Failure) -> ExitCode {
        var parameters = further
        if let ids { parameters["ids"] = .array(ids.map { Value($0) }) } else { parameters["all"] = true }
        if let kind { parameters["kind"] = .string(kind) }
        let answer = try host.ask(method, parameters, waits: true)
        show(answer) { DeadLetterText.results($0, of: method) }
        let isDone =
            answer["results"]?.arrayValue?.allSatisfy {
                ["processed", "appended", "discarded"].contains($0["became"])
            } ?? false
        return isDone ? .success : .badData
    }

    /// Prints the state at a pointer.
    private func printState(
        _ host: ControlConnection, _ pointer: String
    ) throws(ControlConnection.Failure) -> ExitCode {
        guard let value = try host.ask("state", ["pointer": .string(pointer)])["value"] else {
            StandardError.writeLine("gatehouse: the state has nothing at \(pointer)")
            return .badData
        }
        Results.write(value, .pretty)
        return .success
    }

    /// Asks a host to end and waits until it has.
    private func stop(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        do throws(ControlConnection.Failure) {
            _ = try host.ask("stop")
            while true { _ = try host.next() }
        } catch {
            guard error == .ended else { throw error }
        }
        guard host.waitForEnd() else {
            StandardError.writeLine(
                "gatehouse: \(host.name) died while shutting down; its standard error says why")
            return .internalError
        }
        let answer: Value = ["name": .string(host.name), "stopped": true]
        show(answer) { _ in "\(host.name) has ended\n" }
        return .success
    }

    /// The message of a refusal, without the place in a request that the user has not seen.
    private static func words(of refusal: ControlError) -> String {
        guard refusal.data?["pointer"] != nil, let colon = refusal.message.firstIndex(of: ":") else {
            return refusal.message
        }
        return String(refusal.message[colon...].dropFirst(2))
    }

    /// The exit code for a refused request.
    private static func exitCode(of refusal: ControlError) -> ExitCode {
        switch refusal.code {
        case -32002, -32003: return .givenUp
        case -32004: return .unavailable
        default: return .usage
        }
    }
}
