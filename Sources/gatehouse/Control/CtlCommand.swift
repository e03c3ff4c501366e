// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseControl
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse ctl`: sends a request to a running host.
struct CtlCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// The request to the host.
    private let request: ControlRequest

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        request = try ControlRequest(options)
    }

    /// Sends the request, prints the answer, and returns the exit code.
    func run() -> ExitCode {
        _ = gatehouse_outlive(SIGPIPE)
        if request.kind == .hosts { return printHosts() }
        do throws(ControlConnection.Failure) {
            let host = try ControlConnection(socket: options["--socket"], name: options["--name"])
            do throws(ControlConnection.Failure) {
                return try ask(host)
            } catch .ended {
                return .unavailable.because("\(host.name) has ended")
            }
        } catch {
            switch error {
            case .noHost(let sentence): return .unavailable.because(sentence)
            case .ended: return .unavailable
            case .refused(let refusal):
                return Self.exitCode(of: refusal).because(Self.words(of: refusal))
            }
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
            for host in hosts { Results.writeLine(host.name.padded(to: width) + "  " + host.path) }
        }
        return .success
    }

    /// Sends the request to one host and prints the answer.
    private func ask(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        switch request.kind {
        case .status: show(try host.ask("status"), StatusText.text)
        case .plan, .reload:
            return showReload(try host.ask(request.kind.rawValue, request.parameters, waits: true))
        case .try: return try TriedCandidate(host: host, isJSON: options.isJSON).run(request.parameters)
        case .swap: return showReload(try host.ask("swap", request.parameters, waits: true))
        case .shadow:
            let answer = try host.ask("shadow", request.parameters)
            let shadows = answer.list("shadows")
            show(answer) { _ in
                shadows.isEmpty
                    ? "the configuration has no shadows; \"shadow\" in an entry of \"plugins\" makes one\n"
                    : shadows.map { $0.text("text") }.joined()
            }
            let isAlike = shadows.allSatisfy { shadow in
                shadow["stage"] == "hearing" && shadow["differing"] == 0
                    && shadow["account"]?["state"] == nil
            }
            return isAlike ? .success : .badData
        case .hour: show(try host.ask("hour", request.parameters), HourText.text)
        case .costs: show(try host.ask("costs", request.parameters), CostsText.text)
        case .effects: show(try host.ask("effects", request.parameters), EffectsText.text)
        case .now:
            show(try host.ask("now", request.parameters)) { answer in
                switch answer.count("ended") {
                case 0: "\(request.words[0]) waits for nothing that could begin now\n"
                case let count: "\(request.words[0]): \(Counted.text(count, "pause")) ended\n"
                }
            }
        case .entry:
            show(try host.ask("entry", request.parameters)) { ($0["entry"] ?? .null).json(.pretty) + "\n" }
        case .generations: show(try host.ask("generations", request.parameters), GenerationsText.text)
        case .graph: show(try host.ask("graph"), GraphText.text)
        case .open, .close, .gate:
            show(try host.ask("gate", request.parameters)) { answer in
                let gate = answer.text("gate")
                if let count = answer["partitions"]?.intValue {
                    return
                        "\(request.words[0]): the gate will be \(gate) in \(Counted.text(count, "partition")), each when it gets to it\n"
                }
                return "\(request.words[0]): the gate was \(answer.text("was")), and is \(gate)\n"
            }
        case .release where options.has("--catch-up"):
            return showReload(try host.ask("release", request.parameters, waits: true))
        case .release:
            show(try host.ask("release", request.parameters)) { answer in
                "\(request.words[0]) is out of quarantine; the configuration is reloaded\n"
                    + answer.list("skipped").map(StatusText.skipped).joined()
            }
        case .dispatch where request.words == ["-"]:
            var input = DispatchedInput(host: host, isJSON: options.isJSON)
            return try input.run()
        case .dispatch: return try dispatch(host)
        case .deadLetters:
            show(
                try host.ask("deadLetters", request.parameters),
                options.has("--show") ? DeadLetterText.whole : DeadLetterText.list)
        case .redispatch, .discard: return try settle(host)
        case .cluster: try askCluster(host)
        case .state: return try printState(host)
        case .watch: return try WatchedHost(host: host, isJSON: options.isJSON).run(request.parameters)
        case .metrics: Results.write(try host.ask("metrics").stringValue ?? "")
        case .upgrade: show(try host.ask("upgrade", request.parameters, waits: true), Self.upgraded)
        case .stop: return try stop(host)
        case .top: return try TopCommand(host: host, isOnce: options.has("--once")).run()
        case .hosts: break
        }
        return .success
    }

    /// The words for an upgrade.
    private static func upgraded(_ answer: Value) -> String {
        let pause = Int((answer.number("pause") * 1_000).rounded())
        let connections = Counted.text(answer.count("connections"), "connection")
        return
            "process \(answer.count("process")) goes on for the host, with \(connections); inputs waited \(pause) ms\n"
    }

    /// Reports the cluster, or has it change.
    private func askCluster(_ host: ControlConnection) throws(ControlConnection.Failure) {
        switch request.words.first {
        case nil:
            show(try host.ask("cluster", waits: true)) { [isWhole = options.has("--all")] in
                ClusterText.text($0, isWhole: isWhole)
            }
        case "reload": show(try host.ask("clusterReload", waits: true), ClusterText.reloading)
        default: show(try host.ask("clusterDrain", request.parameters, waits: true), ClusterText.drained)
        }
    }

    /// Prints an answer, as JSON with `--json` and as text otherwise.
    private func show(_ answer: Value, _ text: (Value) -> String) {
        Results.write(answer, or: text(answer), isJSON: options.isJSON)
    }

    /// Prints what a reload did, or would do; returns the exit code of `check` when it was refused.
    private func showReload(_ answer: Value) -> ExitCode {
        show(answer) { $0.text("text") }
        guard answer["result"] == "refused" else { return .success }
        let isLibraryToBlame =
            answer["problems"]?.arrayValue?.contains { $0["severity"] == "error" } != true
            && answer["refusals"]?.arrayValue?.allSatisfy { $0["library"] != nil } == true
        return isLibraryToBlame ? .pluginRefused : .configuration
    }

    /// Has a host process one action.
    private func dispatch(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        let action: Value
        var part = "action"
        do {
            if request.words[0].hasPrefix("{") {
                action = try JSONText.parse(request.words[0])
            } else if request.words.count > 1 {
                part = "payload"
                action = ["type": .string(request.words[0]), "payload": try JSONText.parse(request.words[1])]
            } else {
                action = ["type": .string(request.words[0])]
            }
        } catch {
            return .usage.because(
                "the \(part): column \(error.position.column): \(error.reason); write JSON, a text in double quotes"
            )
        }
        let answer = try host.ask("dispatch", ["action": action])
        show(answer, DispatchedInput.text)
        return answer["reported"] == 0 ? .success : .badData
    }

    /// Has a host process dead letters again, or discard them. The action of one may be replaced by another, which is read from standard
    /// input where it is `-`.
    private func settle(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        var parameters = request.parameters
        if var action = options["--action"] {
            if action == "-" {
                action = ""
                while let line = readLine(strippingNewline: false) { action += line }
            }
            do {
                parameters["action"] = try JSONText.parse(action)
            } catch {
                return .usage.because(
                    "the action: line \(error.position.line), column \(error.position.column): \(error.reason); write JSON, a text in double quotes"
                )
            }
        }
        let answer = try host.ask(request.kind.rawValue, parameters, waits: true)
        show(answer) { DeadLetterText.results($0, of: request.kind.rawValue) }
        let isDone =
            answer["results"]?.arrayValue?.allSatisfy {
                ["processed", "appended", "discarded"].contains($0["became"])
            } ?? false
        return isDone ? .success : .badData
    }

    /// Prints the state at a pointer, and on standard error how far the slices in it are that workers keep.
    private func printState(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        let pointer = request.words.first ?? ""
        let answer = try host.ask("state", ["pointer": .string(pointer)])
        for sentence in StatusText.slices(answer["slices"]) { StandardError.tell(sentence) }
        guard let value = answer["value"] else {
            return .badData.because("the state has nothing at \(pointer)")
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
            return .internalError.because(
                "\(host.name) died while shutting down; its standard error says why")
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
        case -32002, -32003, -32006: return .givenUp
        case -32004: return .unavailable
        default: return .usage
        }
    }
}
