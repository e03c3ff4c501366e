// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
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
        guard let value else {
            members = Members()
            return
        }
        guard case .object(let members) = value else {
            throw .parameter(
                at: Self.place, expected: "an object", found: value.kindName, advice: "name the parameters")
        }
        let known = method.parameters
        for member in members where !known.contains(member.key) {
            let hint =
                NearMiss.suggestion(for: member.key, among: known).map { "did you mean \(Quotation.of($0))?" }
                ?? "remove it"
            throw .parameter(
                at: Self.place.appending(member.key),
                expected: known.isEmpty
                    ? "no parameters" : "only \(known.map { Quotation.of($0) }.joined(separator: ", "))",
                found: Quotation.of(member.key), advice: hint)
        }
        self.members = members
    }

    /// The parameter as is; nil when absent.
    subscript(name: String) -> Value? { members[name] }

    /// Returns a required text.
    func text(_ name: String, _ expected: String) throws(ControlError) -> String {
        guard case .string(let text)? = members[name] else {
            throw .parameter(
                at: Self.place.appending(name), expected: expected, found: members[name]?.kindName ?? "none")
        }
        return text
    }

    /// Returns an optional whole number.
    func number(_ name: String) throws(ControlError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.intValue else {
            throw .parameter(
                at: Self.place.appending(name), expected: "a whole number", found: value.kindName)
        }
        return number
    }

    /// Returns an optional count of at least 1.
    func count(_ name: String) throws(ControlError) -> Int? {
        guard let number = try number(name) else { return nil }
        guard number > 0 else {
            throw .parameter(
                at: Self.place.appending(name), expected: "a number from 1 on", found: "\(number)")
        }
        return number
    }

    /// Returns a boolean; false when absent.
    func flag(_ name: String) throws(ControlError) -> Bool {
        switch members[name] {
        case nil: return false
        case .bool(let mark)?: return mark
        case let other?:
            throw .parameter(at: Self.place.appending(name), expected: "a boolean", found: other.kindName)
        }
    }

    /// Returns how to try a reload on the past; nil for no trial.
    func trial() throws(ControlError) -> HistoryTrial? {
        let isStrict = try flag("strict")
        guard let count = try count("history") else {
            if members["strict"] == nil { return nil }
            throw .parameter(
                at: Self.place.appending("strict"), expected: "it beside \"history\"", found: "it alone")
        }
        guard count <= HistoryTrial.most else {
            throw .parameter(
                at: Self.place.appending("history"), expected: "at most \(HistoryTrial.most)",
                found: "\(count)", advice: "try more with gatehouse replay")
        }
        return HistoryTrial(count: count, isStrict: isStrict)
    }

    /// Returns a kind of dead letters; nil when absent.
    func deadLetterKind() throws(ControlError) -> DeadLetter.Kind? {
        guard members["kind"] != nil else { return nil }
        let known = DeadLetter.Kind.allCases.map(\.rawValue)
        let expected = "one of " + known.joined(separator: ", ")
        let text = try text("kind", expected)
        guard let kind = DeadLetter.Kind(rawValue: text) else {
            throw .parameter(
                at: Self.place.appending("kind"), expected: expected, found: Quotation.of(text),
                advice: NearMiss.suggestion(for: text, among: known).map {
                    "did you mean \(Quotation.of($0))?"
                })
        }
        return kind
    }

    /// Returns the selected dead letters by number; nil for all of them.
    func deadLetters() throws(ControlError) -> [Int64]? {
        switch (members["ids"], members["all"]) {
        case (nil, true?): return nil
        case (.array(let elements)?, nil):
            if members["kind"] != nil {
                throw .parameter(
                    at: Self.place.appending("kind"), expected: "none beside \"ids\"", found: "one",
                    advice: "give it with \"all\"")
            }
            var ids: [Int64] = []
            for (index, element) in elements.enumerated() {
                guard let id = element.intValue else {
                    throw .parameter(
                        at: Self.place.appending("ids").appending("\(index)"),
                        expected: "the number of a dead letter", found: element.kindName)
                }
                ids.append(Int64(id))
            }
            return ids
        case (let other?, nil):
            throw .parameter(
                at: Self.place.appending("ids"), expected: "an array of numbers", found: other.kindName)
        case (nil, let other?):
            throw .parameter(at: Self.place.appending("all"), expected: "true", found: other.kindName)
        case (_?, _?), (nil, nil):
            throw .parameter(
                at: Self.place, expected: "\"ids\" or \"all\"",
                found: members["ids"] == nil ? "none" : "both", advice: "give one of them")
        }
    }

    /// Returns the action to dispatch in place of one dead letter's; nil for the letter's own.
    ///
    /// - Parameter ids: the selected letters.
    func editedAction(of ids: [Int64]?) throws(ControlError) -> ControlAction? {
        let place = Self.place.appending("action")
        guard let action = members["action"] else { return nil }
        guard ids?.count == 1 else {
            throw .parameter(
                at: place, expected: "it beside one number in \"ids\"",
                found: ids.map { "\($0.count) numbers" } ?? "\"all\"")
        }
        return try ControlAction(action, at: place)
    }

    /// Returns a place in the state; the whole state when absent.
    func pointer(_ name: String) throws(ControlError) -> JSONPointer {
        guard let value = members[name] else { return .whole }
        return try Self.pointer(value, at: Self.place.appending(name))
    }

    /// Returns an optional action number of at least `first`.
    private func sequence(_ name: String, from first: Int) throws(ControlError) -> UInt64? {
        guard let number = try number(name) else { return nil }
        guard number >= first else {
            throw .parameter(
                at: Self.place.appending(name), expected: "the number of an action", found: "\(number)")
        }
        return UInt64(number)
    }

    /// Reads a query for past actions.
    func history() throws(ControlError) -> HistoryQuery {
        let filter = try filter()
        var query = HistoryQuery(limit: try count("limit") ?? HistoryQuery.usualActions)
        guard query.limit <= HistoryQuery.mostActions else {
            throw .parameter(
                at: Self.place.appending("limit"), expected: "at most \(HistoryQuery.mostActions)",
                found: "\(query.limit)", advice: "ask for older ones with \"before\"")
        }
        query.types = filter.types
        query.instances = filter.instances
        query.before = try sequence("before", from: 1)
        query.causes = try sequence("causes", from: 1)
        if query.causes != nil,
            let other = ["types", "instances", "before"].first(where: { self[$0] != nil })
        {
            throw .parameter(
                at: Self.place.appending(other), expected: "none beside \"causes\"", found: "one")
        }
        return query
    }

    /// Reads a query for past state; nil for the current state.
    func pastState() throws(ControlError) -> PastStateQuery? {
        let since = try sequence("since", from: 0)
        guard let at = try sequence("at", from: 0) else {
            guard since == nil else {
                throw .parameter(
                    at: Self.place.appending("since"), expected: "it beside \"at\"", found: "it alone")
            }
            return nil
        }
        if let since, since > at {
            throw .parameter(
                at: Self.place.appending("since"), expected: "an action before \(at)", found: "\(since)")
        }
        var query = PastStateQuery(try pointer("pointer"), at: at, since: since)
        query.depth = try count("depth")
        return query
    }

    /// Returns a list of texts; nil when absent.
    private func list(_ name: String, of what: String) throws(ControlError) -> [(String, JSONPointer)]? {
        guard let value = members[name] else { return nil }
        let place = Self.place.appending(name)
        guard case .array(let elements) = value else {
            throw .parameter(at: place, expected: "an array of \(what)", found: value.kindName)
        }
        var texts: [(String, JSONPointer)] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                throw .parameter(
                    at: place.appending("\(index)"), expected: "a string", found: element.kindName)
            }
            texts.append((text, place.appending("\(index)")))
        }
        return texts
    }

    /// Reads the filter of a watch.
    func filter() throws(ControlError) -> WatchFilter {
        let types = try list("types", of: "action types")
        var patterns: [TypePattern] = []
        for (text, place) in types ?? [] {
            guard let pattern = TypePattern(text) else {
                throw .parameter(
                    at: place, expected: "an action type with \"*\" nowhere but at its end",
                    found: Quotation.of(text))
            }
            patterns.append(pattern)
        }
        var pointers: [JSONPointer] = []
        for (text, place) in try list("state", of: "JSON Pointers") ?? [] {
            pointers.append(try Self.pointer(.string(text), at: place))
        }
        return WatchFilter(
            types: types == nil ? nil : patterns,
            instances: try list("instances", of: "ids of instances")?.map(\.0), pointers: pointers)
    }

    /// Reads the actions to dispatch from their wire form.
    func actions() throws(ControlError) -> [ControlAction] {
        switch (members["action"], members["actions"]) {
        case (let action?, nil): return [try ControlAction(action, at: Self.place.appending("action"))]
        case (nil, .array(let elements)?):
            var actions: [ControlAction] = []
            for (index, element) in elements.enumerated() {
                actions.append(
                    try ControlAction(element, at: Self.place.appending("actions").appending("\(index)")))
            }
            return actions
        case (nil, let other?):
            throw .parameter(
                at: Self.place.appending("actions"), expected: "an array of actions", found: other.kindName)
        case (_?, _?):
            throw .parameter(
                at: Self.place, expected: "\"action\" or \"actions\"", found: "both",
                advice: "keep one of them")
        case (nil, nil):
            throw .parameter(at: Self.place.appending("action"), expected: "an action", found: "none")
        }
    }

    /// Reads a JSON Pointer.
    private static func pointer(_ value: Value, at place: JSONPointer) throws(ControlError) -> JSONPointer {
        guard case .string(let text) = value else {
            throw .parameter(at: place, expected: "a JSON Pointer", found: value.kindName)
        }
        do {
            return try JSONPointer(text)
        } catch {
            throw .parameter(
                at: place, expected: "a JSON Pointer such as \"/orders/eu\"", found: Quotation.of(text))
        }
    }
}
