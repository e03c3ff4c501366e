// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseControl
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse ctl`: sends a request to a running host.
struct CtlCommand: ParsedCommand {
    /// A request to the host, by the word for it; in the order of the help text.
    enum Request: String, CaseIterable {
        /// Report the status.
        case status
        /// Show the status, continuously or once.
        case top
        /// Report the state at a pointer.
        case state
        /// Report actions and changes of the state as they happen.
        case watch
        /// Process actions.
        case dispatch
        /// Move a gate.
        case open, close, gate
        /// Release a library from quarantine, at once or when its instances have reduced what they missed.
        case release
        /// Report what a reload would change.
        case plan
        /// Reload the configuration.
        case reload
        /// Report the metrics as text for Prometheus.
        case metrics
        /// List the newest dead letters of a kind, or show one of them with its action.
        case deadLetters = "dead-letters"
        /// Process dead letters again, or discard them.
        case redispatch, discard
        /// Report the cluster that the host is in, drain a member, or have all members reload.
        case cluster
        /// Ask the host to end.
        case stop
        /// List the running hosts.
        case hosts
    }

    /// The words for requests.
    static let requests = Request.allCases.map(\.rawValue)

    /// The parsed command line.
    private let options: OptionReader
    /// The request to the host.
    private let request: Request
    /// The words behind the request.
    private let words: [String]
    /// What goes with the request.
    private var parameters: Members = [:]

    init(_ options: OptionReader) throws(UsageError) {
        self.options = options
        let word = options.operands[0]
        guard let request = Request(rawValue: word) else {
            throw .unknownRequest(word, known: Self.requests)
        }
        self.request = request
        words = Array(options.operands.dropFirst())
        switch request {
        case .status, .top, .plan, .metrics, .stop, .hosts: try only(0)
        case .state: try only(min(words.count, 1))
        case .watch:
            if !words.isEmpty { parameters["types"] = .array(words.map(Value.string)) }
            parameters["instances"] = options["--instance"].map { [.string($0)] }
            parameters["state"] = options["--state"].map { [.string($0)] }
        case .reload:
            try only(0)
            try take("--expect", as: "expect", expected: "the number of a generation, such as 3")
            try take("--rehearse-with-history", as: "history")
            if options.has("--strict") {
                parameters["strict"] = true
                if parameters["history"] == nil {
                    throw .missingArgument("--rehearse-with-history beside --strict", command: "ctl reload")
                }
            }
        case .open, .close:
            try only(1, "the id of an instance")
            parameters = ["id": .string(words[0]), "position": .string(word)]
        case .gate:
            try only(2, "the id of an instance, and open or close")
            guard ["open", "close"].contains(words[1]) else {
                throw .invalidValue(option: "ctl gate", found: words[1], expected: ["open", "close"])
            }
            parameters = ["id": .string(words[0]), "position": .string(words[1])]
        case .release:
            try only(1, "an instance, a plugin or a digest")
            parameters["name"] = .string(words[0])
            if options.has("--catch-up") { parameters["catchUp"] = true }
        case .dispatch:
            if words.isEmpty { throw .missingArgument("an action type, or -", command: "ctl dispatch") }
            try only(min(words.count, words[0].hasPrefix("{") ? 1 : 2))
        case .deadLetters:
            try only(0)
            parameters["kind"] = options["--kind"].map(Value.string)
            try take("--limit", as: "limit")
            try take("--show", as: "id")
        case .redispatch, .discard: try takeLetters()
        case .cluster: try takeMember()
        }
    }

    /// Refuses more or fewer words behind the request.
    ///
    /// - Parameter expected: what is missing where there are fewer.
    private func only(_ count: Int, _ expected: String = "") throws(UsageError) {
        if words.count > count { throw .unexpectedArgument(words[count], command: "ctl") }
        if words.count < count { throw .missingArgument(expected, command: "ctl \(request.rawValue)") }
    }

    /// Takes a number of at least 1 from an option, if it was given.
    private mutating func take(
        _ option: String, as name: String, expected: String = "a number from 1 on"
    ) throws(UsageError) {
        let number: Int? = try options.number(option, expected: expected)
        parameters[name] = number.map { Value($0) }
    }

    /// Takes the numbers of dead letters, or that all are meant.
    private mutating func takeLetters() throws(UsageError) {
        parameters["kind"] = options["--kind"].map(Value.string)
        if options.has("--all") {
            try only(0)
            parameters["all"] = true
        } else {
            let place = "ctl \(request.rawValue)"
            if words.isEmpty {
                throw .missingArgument("the numbers of dead letters, or --all", command: place)
            }
            if options.has("--kind") {
                throw .foreignOption("--kind", of: "\(place) --all", found: "numbers of dead letters")
            }
            for word in words where Int(word).map({ $0 < 1 }) ?? true {
                throw .malformedValue(option: place, found: word, expected: "the number of a dead letter")
            }
            parameters["ids"] = .array(words.compactMap { Int($0) }.map { Value($0) })
        }
        if options.has("--action"), words.count != 1 {
            throw .missingArgument(
                "the number of one dead letter beside --action", command: "ctl redispatch")
        }
    }

    /// Takes the member that a request about the cluster names.
    private mutating func takeMember() throws(UsageError) {
        guard let word = words.first else { return }
        let known = ["drain", "undrain", "reload"]
        guard known.contains(word) else {
            throw .invalidValue(option: "ctl cluster", found: word, expected: known)
        }
        if options.has("--all") {
            throw .foreignOption("--all", of: "ctl cluster", found: "ctl cluster \(word)")
        }
        let count = word == "reload" ? 1 : 2
        if words.count < count {
            throw .missingArgument("the name of a member", command: "ctl cluster \(word)")
        }
        try only(count)
        if word != "reload" { parameters["host"] = .string(words[1]) }
        if word == "undrain" { parameters["undo"] = true }
    }

    /// Sends the request, prints the answer, and returns the exit code.
    func run() -> ExitCode {
        _ = gatehouse_outlive(SIGPIPE)
        if request == .hosts { return printHosts() }
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
        switch request {
        case .status: show(try host.ask("status"), StatusText.text)
        case .plan, .reload: return showReload(try host.ask(request.rawValue, parameters, waits: true))
        case .open, .close, .gate:
            show(try host.ask("gate", parameters)) { answer in
                let gate = answer["gate"]?.stringValue ?? ""
                if let count = answer["partitions"]?.intValue {
                    return
                        "\(words[0]): the gate will be \(gate) in \(Counted.text(count, "partition")), each when it gets to it\n"
                }
                return "\(words[0]): the gate was \(answer["was"]?.stringValue ?? ""), and is \(gate)\n"
            }
        case .release where options.has("--catch-up"):
            return showReload(try host.ask("release", parameters, waits: true))
        case .release:
            show(try host.ask("release", parameters)) { answer in
                "\(words[0]) is out of quarantine; the configuration is reloaded\n"
                    + (answer["skipped"]?.arrayValue ?? []).map(StatusText.skipped).joined()
            }
        case .dispatch where words == ["-"]:
            return try DispatchedInput(host: host, isJSON: options.isJSON).run()
        case .dispatch: return try dispatch(host)
        case .deadLetters:
            show(
                try host.ask("deadLetters", parameters),
                options.has("--show") ? DeadLetterText.whole : DeadLetterText.list)
        case .redispatch, .discard: return try settle(host)
        case .cluster: try askCluster(host)
        case .state: return try printState(host)
        case .watch: return try WatchedHost(host: host, isJSON: options.isJSON).run(parameters)
        case .metrics: Results.write(try host.ask("metrics").stringValue ?? "")
        case .stop: return try stop(host)
        case .top: return try TopCommand(host: host, isOnce: options.has("--once")).run()
        case .hosts: break
        }
        return .success
    }

    /// Reports the cluster, or has it change.
    private func askCluster(_ host: ControlConnection) throws(ControlConnection.Failure) {
        switch words.first {
        case nil:
            show(try host.ask("cluster", waits: true)) { [isWhole = options.has("--all")] in
                ClusterText.text($0, isWhole: isWhole)
            }
        case "reload": show(try host.ask("clusterReload", waits: true), ClusterText.reloading)
        default: show(try host.ask("clusterDrain", parameters, waits: true), ClusterText.drained)
        }
    }

    /// Prints an answer, as JSON with `--json` and as text otherwise.
    private func show(_ answer: Value, _ text: (Value) -> String) {
        Results.write(answer, or: text(answer), isJSON: options.isJSON)
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
    private func dispatch(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        let action: Value
        var part = "action"
        do {
            if words[0].hasPrefix("{") {
                action = try JSONText.parse(words[0])
            } else if words.count > 1 {
                part = "payload"
                action = ["type": .string(words[0]), "payload": try JSONText.parse(words[1])]
            } else {
                action = ["type": .string(words[0])]
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
        var parameters = parameters
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
        let answer = try host.ask(request.rawValue, parameters, waits: true)
        show(answer) { DeadLetterText.results($0, of: request.rawValue) }
        let isDone =
            answer["results"]?.arrayValue?.allSatisfy {
                ["processed", "appended", "discarded"].contains($0["became"])
            } ?? false
        return isDone ? .success : .badData
    }

    /// Prints the state at a pointer.
    private func printState(_ host: ControlConnection) throws(ControlConnection.Failure) -> ExitCode {
        let pointer = words.first ?? ""
        guard let value = try host.ask("state", ["pointer": .string(pointer)])["value"] else {
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
        case -32002, -32003: return .givenUp
        case -32004: return .unavailable
        default: return .usage
        }
    }
}
