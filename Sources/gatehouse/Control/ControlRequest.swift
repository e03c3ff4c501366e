// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// A request of `gatehouse ctl` to a host, with the parameters that are sent.
struct ControlRequest {
    /// What can be asked of a host, by the word for it; in the order of the help text.
    enum Kind: String, CaseIterable {
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
        /// Try a candidate on recorded actions, or put a tried one in the place of what runs.
        case `try`, swap
        /// Report how shadows agree with their instances.
        case shadow
        /// Report the numbers of the last hour.
        case hour
        /// Report the time of the newest minutes by instance and stage.
        case costs
        /// Report the effects that are under way.
        case effects
        /// End the pauses of an instance.
        case now
        /// Report the entry of an instance.
        case entry
        /// Report the generations in which an instance changed.
        case generations
        /// Report which instances emit what others hear.
        case graph
        /// Report the metrics as text for Prometheus.
        case metrics
        /// List the newest dead letters of a kind, or show one of them with its action.
        case deadLetters = "dead-letters"
        /// Process dead letters again, or discard them.
        case redispatch, discard
        /// Report the cluster that the host is in, drain a member, or have all members reload.
        case cluster
        /// Let the installed program, or another one, go on for the host.
        case upgrade
        /// Ask the host to end.
        case stop
        /// List the running hosts.
        case hosts
    }

    /// The words for requests.
    static let words = Kind.allCases.map(\.rawValue)

    /// What is asked for.
    let kind: Kind
    /// The words after the request.
    let words: [String]
    /// What goes with the request.
    private(set) var parameters: Members = [:]
    /// The parsed command line.
    private let options: OptionReader

    /// Parses the operands and options of `ctl`.
    init(_ options: OptionReader) throws(UsageError) {
        self.options = options
        let word = options.operands[0]
        guard let kind = Kind(rawValue: word) else { throw .unknownRequest(word, known: Self.words) }
        self.kind = kind
        words = Array(options.operands.dropFirst())
        switch kind {
        case .status, .top, .plan, .graph, .metrics, .stop, .hosts: try only(0)
        case .state: try only(min(words.count, 1))
        case .upgrade:
            try only(min(words.count, 1))
            if let program = words.first {
                parameters["program"] = .string(
                    program.hasPrefix("/") ? program : SystemFile.currentFolder + "/" + program)
            }
        case .watch:
            if !words.isEmpty { parameters["types"] = .array(words.map(Value.string)) }
            parameters["instances"] = options["--instance"].map { [.string($0)] }
            parameters["state"] = options["--state"].map { [.string($0)] }
            if options.has("--turned-away") { parameters["turnedAway"] = true }
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
        case .try:
            try only(1, "the path of a library or a configuration")
            parameters["file"] = .string(Self.absolute(words[0]))
            try take("--last", as: "last")
            let since = try options.value(
                "--since", expected: "a moment such as 2026-01-31T12:00:00Z, or a time such as 24h or 30m",
                Self.moment)
            parameters["since"] = since.map(Value.double)
        case .swap:
            try only(1, "the digest of a candidate")
            parameters["digest"] = .string(words[0])
        case .entry, .now:
            try only(1, "the id of an instance")
            parameters["id"] = .string(words[0])
        case .generations:
            try only(words.count == 2 ? 2 : 1, "the id of an instance")
            parameters["id"] = .string(words[0])
            guard words.count == 2 else { break }
            guard let count = Int(words[1]), count > 0 else {
                throw .malformedValue(
                    option: "ctl generations", found: words[1], expected: "a number of generations")
            }
            parameters["limit"] = Value(count)
        case .hour, .effects:
            if !words.isEmpty { parameters["instances"] = .array(words.map(Value.string)) }
        case .costs:
            try only(min(words.count, 1))
            guard let word = words.first else { break }
            guard let minutes = Int(word), (1...60).contains(minutes) else {
                throw .malformedValue(
                    option: "ctl costs", found: word, expected: "a number of minutes from 1 to 60")
            }
            parameters["minutes"] = Value(minutes)
        case .shadow:
            try only(min(words.count, 1))
            parameters["id"] = words.first.map(Value.string)
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

    /// Refuses more or fewer words after the request.
    ///
    /// - Parameter expected: what is missing where there are fewer.
    private func only(_ count: Int, _ expected: String = "") throws(UsageError) {
        if words.count > count { throw .unexpectedArgument(words[count], command: "ctl") }
        if words.count < count { throw .missingArgument(expected, command: "ctl \(kind.rawValue)") }
    }

    /// Takes a number of at least 1 from an option, if it was given.
    private mutating func take(
        _ option: String, as name: String, expected: String = "a number from 1 on"
    ) throws(UsageError) {
        let number: Int? = try options.number(option, expected: expected)
        parameters[name] = number.map { Value($0) }
    }

    /// Returns a path from the root on.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : SystemFile.currentFolder + "/" + path
    }

    /// Returns a moment in seconds since 1970: one that is written, or one so many hours or minutes ago; nil for anything else.
    private static func moment(_ text: String) -> Double? {
        if let moment = UnixTime.seconds(in: text) { return moment }
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Double(text.dropLast()), count > 0
        else {
            return nil
        }
        return UnixTime.now - count * unit
    }

    /// Takes the numbers of dead letters, or that all are meant.
    private mutating func takeLetters() throws(UsageError) {
        parameters["kind"] = options["--kind"].map(Value.string)
        if options.has("--all") {
            try only(0)
            parameters["all"] = true
        } else {
            let place = "ctl \(kind.rawValue)"
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
}
