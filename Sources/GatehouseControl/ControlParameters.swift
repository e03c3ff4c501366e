// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// The parameters of a request; errors name the place at fault.
struct ControlParameters: Sendable {
    /// The parameters; their names are ones that the method accepts.
    private let members: Members
    /// The place of the parameters in the request.
    private static let place = JSONPointer(tokens: ["params"])

    /// Reads the parameters of a method; nil where there are none.
    init(_ value: Value?, of method: ControlMethod) throws(ControlError) {
        guard case .object(let members) = value ?? .object([:]) else {
            throw .parameter(
                at: Self.place, expected: "an object", found: value?.kindName ?? "none",
                advice: "name the parameters")
        }
        let known = method.parameters
        for member in members where !known.contains(member.key) {
            throw .parameter(
                member.key,
                expected: known.isEmpty
                    ? "no parameters" : "only \(known.map { Quotation.of($0) }.joined(separator: ", "))",
                found: Quotation.of(member.key),
                advice: ControlError.advice(for: member.key, among: known) ?? "remove it")
        }
        self.members = members
    }

    /// The parameter as is; nil when absent.
    subscript(name: String) -> Value? { members[name] }

    // MARK: - Of one kind

    /// Returns the refusal of a parameter that is of another kind.
    private func kind(_ name: String, expected: String) -> ControlError {
        .kind(at: Self.place.appending(name), expected: expected, found: members[name])
    }

    /// Returns a required text.
    func text(_ name: String, _ expected: String) throws(ControlError) -> String {
        guard case .string(let text)? = members[name] else { throw kind(name, expected: expected) }
        return text
    }

    /// Returns an optional text.
    func optionalText(_ name: String, _ expected: String) throws(ControlError) -> String? {
        members[name] == nil ? nil : try text(name, expected)
    }

    /// Returns an optional absolute path.
    func path(_ name: String, of what: String) throws(ControlError) -> String? {
        guard let value = members[name] else { return nil }
        let expected = "the absolute path of \(what)"
        guard let path = value.stringValue else { throw kind(name, expected: expected) }
        guard path.hasPrefix("/") else {
            throw .parameter(name, expected: expected, found: Quotation.of(path))
        }
        return path
    }

    /// Returns an optional whole number.
    ///
    /// - Parameters:
    ///   - first: the smallest one that the method accepts.
    ///   - expected: what one is that is accepted.
    func number(
        _ name: String, from first: Int = .min, _ expected: String = "a number from 1 on"
    ) throws(ControlError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.intValue else { throw kind(name, expected: "a whole number") }
        guard number >= first else { throw .parameter(name, expected: expected, found: "\(number)") }
        return number
    }

    /// Returns an optional action number of at least `first`.
    private func sequence(_ name: String, from first: Int) throws(ControlError) -> UInt64? {
        try number(name, from: first, "the number of an action").map(UInt64.init)
    }

    /// Returns a boolean; false when absent.
    func flag(_ name: String) throws(ControlError) -> Bool {
        guard case .bool(let mark) = members[name] ?? false else { throw kind(name, expected: "a boolean") }
        return mark
    }

    /// Returns what `read` makes of the elements of an array, each with its place; nil when absent.
    private func list<Element>(
        _ name: String, of what: String, _ read: (Value, JSONPointer) throws(ControlError) -> Element
    ) throws(ControlError) -> [Element]? {
        guard let value = members[name] else { return nil }
        guard case .array(let elements) = value else { throw kind(name, expected: "an array of \(what)") }
        let place = Self.place.appending(name)
        return try elements.enumerated().map { index, element throws(ControlError) in
            try read(element, place.appending("\(index)"))
        }
    }

    /// Returns a place in the state; the whole state when absent.
    func pointer(_ name: String) throws(ControlError) -> JSONPointer {
        guard let value = members[name] else { return .whole }
        guard let text = value.stringValue else { throw kind(name, expected: "a JSON Pointer") }
        return try Self.pointer(text, at: Self.place.appending(name))
    }

    /// Reads a JSON Pointer.
    private static func pointer(_ text: String, at place: JSONPointer) throws(ControlError) -> JSONPointer {
        do {
            return try JSONPointer(text)
        } catch {
            throw .parameter(
                at: place, expected: "a JSON Pointer such as \"/orders/eu\"", found: Quotation.of(text))
        }
    }

    /// Reads an element that must be a text.
    private static func text(_ value: Value, at place: JSONPointer) throws(ControlError) -> String {
        guard let text = value.stringValue else { throw .kind(at: place, expected: "a string", found: value) }
        return text
    }

    // MARK: - Of one method

    /// Returns the ids of the instances that are asked for; nil for all.
    func instances() throws(ControlError) -> [String]? {
        try list("instances", of: "ids of instances", Self.text)
    }

    /// Returns how to try a reload on the past; nil for no trial.
    func trial() throws(ControlError) -> HistoryTrial? {
        let isStrict = try flag("strict")
        guard let count = try number("history", from: 1) else {
            if members["strict"] == nil { return nil }
            throw .parameter("strict", expected: "it beside \"history\"", found: "it alone")
        }
        guard count <= HistoryTrial.most else {
            throw .parameter(
                "history", expected: "at most \(HistoryTrial.most)", found: "\(count)",
                advice: "try more with gatehouse replay")
        }
        return HistoryTrial(count: count, isStrict: isStrict)
    }

    /// Returns where the bytes of a candidate come from.
    func candidate() throws(ControlError) -> CandidateOrigin {
        guard let content = members["content"] else {
            let path = try text("file", "the path of a library or a configuration")
            guard path.hasPrefix("/") else {
                throw .parameter("file", expected: "a path from the root on", found: Quotation.of(path))
            }
            return .file(path)
        }
        guard members["file"] == nil else {
            throw .parameter(
                at: Self.place, expected: "\"file\" or \"content\"", found: "both", advice: "keep one of them"
            )
        }
        let name = try text("name", "the name of a file")
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix("."), name.utf8.count <= 200 else {
            throw .parameter(
                "name", expected: "the name of a file, without a folder", found: Quotation.of(name))
        }
        guard let bytes = content.stringValue.flatMap({ Sodium.bytes(ofBase64: Array($0.utf8)) }) else {
            throw kind("content", expected: "bytes in Base64")
        }
        return .upload(name: name, bytes: bytes)
    }

    /// Returns the part of the past that a trial goes over.
    func extent() throws(ControlError) -> TrialExtent {
        let last = try number("last", from: 1).map(UInt64.init)
        guard let since = members["since"] else { return TrialExtent(last: last) }
        guard let moment = since.doubleValue else {
            throw kind("since", expected: "a moment in seconds since 1970")
        }
        return TrialExtent(last: last, since: moment)
    }

    /// Returns the requested gate position.
    func position() throws(ControlError) -> GateState {
        switch members["position"] {
        case "open": return .active
        case "close": return .bypass
        case let other:
            throw .parameter("position", expected: "\"open\" or \"close\"", found: other?.quoted ?? "none")
        }
    }

    /// Returns a kind of dead letters; nil when absent.
    func deadLetterKind() throws(ControlError) -> DeadLetter.Kind? {
        guard members["kind"] != nil else { return nil }
        let known = DeadLetter.Kind.allCases.map(\.rawValue)
        let expected = "one of " + known.joined(separator: ", ")
        let text = try text("kind", expected)
        guard let kind = DeadLetter.Kind(rawValue: text) else {
            throw .parameter(
                "kind", expected: expected, found: Quotation.of(text),
                advice: ControlError.advice(for: text, among: known))
        }
        return kind
    }

    /// Returns the selected dead letters by number; nil for all of them.
    func deadLetters() throws(ControlError) -> [Int64]? {
        let ids = try list("ids", of: "numbers") { value, place throws(ControlError) in
            guard let id = value.intValue else {
                throw .kind(at: place, expected: "the number of a dead letter", found: value)
            }
            return Int64(id)
        }
        guard (ids == nil) != (members["all"] == nil) else {
            throw .parameter(
                at: Self.place, expected: "\"ids\" or \"all\"", found: ids == nil ? "none" : "both",
                advice: "give one of them")
        }
        guard ids == nil || members["kind"] == nil else {
            throw .parameter(
                "kind", expected: "none beside \"ids\"", found: "one", advice: "give it with \"all\"")
        }
        guard ids != nil || members["all"] == true else { throw kind("all", expected: "true") }
        return ids
    }

    /// Returns the action to dispatch in place of one dead letter's; nil for the letter's own.
    ///
    /// - Parameter ids: the selected letters.
    func editedAction(of ids: [Int64]?) throws(ControlError) -> ControlAction? {
        guard let action = members["action"] else { return nil }
        guard ids?.count == 1 else {
            throw .parameter(
                "action", expected: "it beside one number in \"ids\"",
                found: ids.map { "\($0.count) numbers" } ?? "\"all\"")
        }
        return try ControlAction(action, at: Self.place.appending("action"))
    }

    /// Reads a query for past actions.
    func history() throws(ControlError) -> HistoryQuery {
        let filter = try filter()
        var query = HistoryQuery()
        query.limit = try number("limit", from: 1) ?? query.limit
        guard query.limit <= HistoryQuery.mostActions else {
            throw .parameter(
                "limit", expected: "at most \(HistoryQuery.mostActions)", found: "\(query.limit)",
                advice: "ask for older ones with \"before\"")
        }
        query.types = filter.types
        query.instances = filter.instances
        query.text = try optionalText("text", "a text to look for")
        if query.text == "" {
            throw .parameter("text", expected: "a text to look for", found: "an empty string")
        }
        query.before = try sequence("before", from: 1)
        query.causes = try sequence("causes", from: 1)
        if query.causes != nil,
            let other = ["types", "instances", "text", "before"].first(where: { self[$0] != nil })
        {
            throw .parameter(other, expected: "none beside \"causes\"", found: "one")
        }
        return query
    }

    /// Reads a query for past state; nil for the current state.
    func pastState() throws(ControlError) -> PastStateQuery? {
        let since = try sequence("since", from: 0)
        guard let at = try sequence("at", from: 0) else {
            if since == nil { return nil }
            throw .parameter("since", expected: "it beside \"at\"", found: "it alone")
        }
        if let since, since > at {
            throw .parameter("since", expected: "an action before \(at)", found: "\(since)")
        }
        return PastStateQuery(
            pointer: try pointer("pointer"), at: at, since: since, depth: try number("depth", from: 1))
    }

    /// Reads the filter of a watch.
    func filter() throws(ControlError) -> WatchFilter {
        WatchFilter(
            types: try list("types", of: "action types") { value, place throws(ControlError) in
                let text = try Self.text(value, at: place)
                if let pattern = TypePattern(text) { return pattern }
                throw .parameter(
                    at: place, expected: "an action type with \"*\" nowhere but at its end",
                    found: Quotation.of(text))
            },
            instances: try instances(),
            pointers: try list("state", of: "JSON Pointers") { value, place throws(ControlError) in
                try Self.pointer(try Self.text(value, at: place), at: place)
            } ?? [],
            hearsTurnedAway: try flag("turnedAway"))
    }

    /// Reads the actions to dispatch from their wire form.
    func actions() throws(ControlError) -> [ControlAction] {
        let action = members["action"]
        guard let actions = try list("actions", of: "actions", ControlAction.init) else {
            guard let action else { throw kind("action", expected: "an action") }
            return [try ControlAction(action, at: Self.place.appending("action"))]
        }
        guard action == nil else {
            throw .parameter(
                at: Self.place, expected: "\"action\" or \"actions\"", found: "both",
                advice: "keep one of them")
        }
        return actions
    }
}
