// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The options of `gatehouse ctl`.
struct CtlOptions: Equatable {
    /// A request to the host.
    enum Request: Equatable {
        /// Report the status.
        case status
        /// Report what a reload would change.
        case plan
        /// Reload the configuration; `expected` is the generation the host must have, nil for any, and `history` the number of
        /// past actions to try it on first, nil for none.
        case reload(expected: Int?, history: Int?, isStrict: Bool)
        /// Move a gate.
        case gate(id: String, isOpened: Bool)
        /// Release a library from quarantine, at once or when its instances have reduced what they missed.
        case release(String, catchesUp: Bool)
        /// Process an action with a JSON payload. A type that begins with a brace is a whole action.
        case dispatch(type: String, payload: String?)
        /// Process the actions on standard input.
        case dispatchInput
        /// List the newest dead letters of a kind, or show one of them with its action.
        case deadLetters(kind: String?, limit: Int?, shown: Int?)
        /// Process dead letters again: those with the numbers, or nil for all of a kind.
        case redispatch([Int]?, kind: String?, action: String?)
        /// Discard dead letters, nil for all of a kind.
        case discard([Int]?, kind: String?)
        /// Report the state at a pointer.
        case state(String)
        /// Report actions and changes of the state as they happen.
        case watch(types: [String], instance: String?, pointer: String?)
        /// Report the metrics as text for Prometheus.
        case metrics
        /// Ask the host to end.
        case stop
        /// List the running hosts.
        case hosts
        /// Report the cluster that the host is in, with all partitions or only the remarkable ones.
        case cluster(isWhole: Bool)
        /// Drain a member of the cluster, or undo that.
        case drain(String, isUndone: Bool)
        /// Have all members of the cluster reload, one after the other.
        case clusterReload
        /// Show the status, continuously or once.
        case top(isOnce: Bool)
    }

    /// The names of the requests, in the order of the help text.
    static let requests = [
        "status", "top", "state", "watch", "dispatch", "open", "close", "gate", "release", "plan", "reload",
        "metrics", "dead-letters", "redispatch", "discard", "cluster", "stop", "hosts",
    ]

    /// The request to the host.
    let request: Request
    /// The host's name; nil for the only one.
    let name: String?
    /// The path of the host's socket; nil to find it by name.
    let socket: String?
    /// Whether the answer is for programs.
    let isJSON: Bool

    /// Parses the arguments after `ctl`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.ctl)
        name = options["--name"]
        socket = options["--socket"]
        isJSON = options["--json"] != nil
        request = try Self.request(options)
    }

    /// Parses the request.
    private static func request(_ options: OptionReader) throws(UsageError) -> Request {
        let word = options.operands[0]
        let further = Array(options.operands.dropFirst())
        func only(_ count: Int, _ expected: String = "") throws(UsageError) {
            if further.count > count { throw .unexpectedArgument(further[count], command: "ctl") }
            if further.count < count { throw .missingArgument(expected, command: "ctl \(word)") }
        }
        for (option, owner) in [
            ("--expect", "reload"), ("--state", "watch"), ("--instance", "watch"), ("--once", "top"),
            ("--limit", "dead-letters"), ("--show", "dead-letters"),
            ("--rehearse-with-history", "reload"), ("--strict", "reload"), ("--catch-up", "release"),
            ("--action", "redispatch"),
        ] where options[option] != nil && word != owner {
            throw .foreignOption(option, of: "ctl \(owner)", found: "ctl \(word)")
        }
        if options["--kind"] != nil, !["dead-letters", "redispatch", "discard"].contains(word) {
            throw .foreignOption("--kind", of: "ctl dead-letters", found: "ctl \(word)")
        }
        if options["--all"] != nil, !["redispatch", "discard", "cluster"].contains(word) {
            throw .foreignOption("--all", of: "ctl redispatch", found: "ctl \(word)")
        }
        switch word {
        case "status", "plan", "metrics", "stop", "hosts", "top":
            try only(0)
            switch word {
            case "status": return .status
            case "plan": return .plan
            case "metrics": return .metrics
            case "stop": return .stop
            case "hosts": return .hosts
            default: return .top(isOnce: options["--once"] != nil)
            }
        case "reload":
            try only(0)
            var expected: Int?
            if let text = options["--expect"] {
                guard let number = Int(text), number > 0 else {
                    throw .malformedValue(
                        option: "--expect", found: text, expected: "the number of a generation, such as 3")
                }
                expected = number
            }
            let history = try number("--rehearse-with-history", of: options)
            if history == nil, options["--strict"] != nil {
                throw .missingArgument("--rehearse-with-history beside --strict", command: "ctl reload")
            }
            return .reload(
                expected: expected, history: history, isStrict: options["--strict"] != nil)
        case "open", "close":
            try only(1, "the id of an instance")
            return .gate(id: further[0], isOpened: word == "open")
        case "release":
            try only(1, "an instance, a plugin or a digest")
            return .release(further[0], catchesUp: options["--catch-up"] != nil)
        case "gate":
            try only(2, "the id of an instance, and open or close")
            guard ["open", "close"].contains(further[1]) else {
                throw .invalidValue(option: "ctl gate", found: further[1], expected: ["open", "close"])
            }
            return .gate(id: further[0], isOpened: further[1] == "open")
        case "dispatch":
            if further == ["-"] { return .dispatchInput }
            if further.isEmpty { throw .missingArgument("an action type, or -", command: "ctl dispatch") }
            let most = further[0].hasPrefix("{") ? 1 : 2
            if further.count > most { throw .unexpectedArgument(further[most], command: "ctl") }
            return .dispatch(type: further[0], payload: further.count > 1 ? further[1] : nil)
        case "dead-letters":
            try only(0)
            return .deadLetters(
                kind: options["--kind"], limit: try number("--limit", of: options),
                shown: try number("--show", of: options))
        case "redispatch":
            let ids = try letters(further, of: word, options)
            if options["--action"] != nil, ids?.count != 1 {
                throw .missingArgument(
                    "the number of one dead letter beside --action", command: "ctl redispatch")
            }
            return .redispatch(ids, kind: options["--kind"], action: options["--action"])
        case "discard":
            return .discard(try letters(further, of: word, options), kind: options["--kind"])
        case "cluster": return try cluster(further, options)
        case "state":
            if further.count > 1 { throw .unexpectedArgument(further[1], command: "ctl") }
            return .state(further.first ?? "")
        case "watch":
            return .watch(types: further, instance: options["--instance"], pointer: options["--state"])
        default: throw .unknownRequest(word, known: requests)
        }
    }

    /// The words after `ctl cluster`.
    static let clusterRequests = ["drain", "undrain", "reload"]

    /// Parses a request about the cluster.
    private static func cluster(_ words: [String], _ options: OptionReader) throws(UsageError) -> Request {
        guard let word = words.first else { return .cluster(isWhole: options["--all"] != nil) }
        guard clusterRequests.contains(word) else {
            throw .invalidValue(option: "ctl cluster", found: word, expected: clusterRequests)
        }
        if options["--all"] != nil {
            throw .foreignOption("--all", of: "ctl cluster", found: "ctl cluster \(word)")
        }
        let count = word == "reload" ? 1 : 2
        if words.count < count {
            throw .missingArgument("the name of a member", command: "ctl cluster \(word)")
        }
        if words.count > count { throw .unexpectedArgument(words[count], command: "ctl") }
        return word == "reload" ? .clusterReload : .drain(words[1], isUndone: word == "undrain")
    }

    /// Parses a number of at least 1; nil where the option is not given.
    private static func number(_ option: String, of options: OptionReader) throws(UsageError) -> Int? {
        guard let text = options[option] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw .malformedValue(option: option, found: text, expected: "a number from 1 on")
        }
        return number
    }

    /// Parses the numbers of the dead letters of a request; nil for all.
    private static func letters(
        _ words: [String], of request: String, _ options: OptionReader
    ) throws(UsageError) -> [Int]? {
        if options["--all"] != nil {
            if let word = words.first { throw .unexpectedArgument(word, command: "ctl") }
            return nil
        }
        guard !words.isEmpty else {
            throw .missingArgument("the numbers of dead letters, or --all", command: "ctl \(request)")
        }
        if options["--kind"] != nil {
            throw .foreignOption("--kind", of: "ctl \(request) --all", found: "numbers of dead letters")
        }
        var ids: [Int] = []
        for word in words {
            guard let id = Int(word), id > 0 else {
                throw .malformedValue(
                    option: "ctl \(request)", found: word, expected: "the number of a dead letter")
            }
            ids.append(id)
        }
        return ids
    }
}
