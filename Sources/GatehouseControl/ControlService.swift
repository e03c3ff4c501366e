// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Carries out the requests of control socket clients, and of instances granted `control`.
@EventLoop
final class ControlService {
    /// The host under control.
    let target: RunningHost
    /// Returns facts about the clients of the socket; nil where there is no socket.
    var clients: (@EventLoop () -> ControlClients)?
    /// Keeps the numbers of the last hour.
    let hour: HourSampler
    /// Makes actions of the ones that clients send.
    private var intake = ActionIntake()

    /// Creates the service of a host.
    nonisolated init(_ target: RunningHost) {
        self.target = target
        hour = HourSampler(target)
    }

    /// Carries out a method; watching is not among them, because its answers do not end.
    func answer(
        _ method: ControlMethod, _ parameters: ControlParameters, for caller: ControlCaller
    ) async throws(ControlError) -> Value {
        switch method {
        case .status: return try await status().value
        case .metrics:
            let status = try await status()
            // Without an engine there are still metrics.
            return .string(MetricsText(status, try? await target.cluster?.survey()).text)
        case .plan: return try await target.reloader().plan()
        case .reload:
            let generation = try parameters.number("expect")
            let trial = try parameters.trial()
            try await target.permit(caller)
            return try await target.reloader().reload(expecting: generation, trying: trial)
        case .try:
            let origin = try parameters.candidate()
            let extent = try parameters.extent()
            try await target.permit(caller)
            // What has happened so far is in the journal before it is read.
            _ = try await target.journalled()
            return try await target.reloader().tryCandidate(origin, over: extent)
        case .trial:
            let digest = try parameters.text("digest", "the digest of a candidate")
            return try await target.reloader().trial(
                of: digest, after: try parameters.number("after", from: 0))
        case .swap:
            let digest = try parameters.text("digest", "the digest of a candidate")
            try await target.permit(caller)
            return try await target.reloader().swapCandidate(digest)
        case .shadow:
            let id = try parameters.optionalText("id", "the id of a shadow")
            let all = try await target.shadowsUpToDate()
            guard let id else { return ["shadows": .array(all.map(\.value))] }
            guard let one = all.first(where: { $0.id == id }) else {
                throw .parameter(
                    "id", expected: "the id of a shadow", found: Quotation.of(id),
                    advice: ControlError.advice(for: id, among: all.map(\.id))
                        ?? (all.isEmpty
                            ? "the configuration has none; \"shadow\" in an entry makes one"
                            : "the shadows are \(all.map(\.id).joined(separator: ", "))"))
            }
            return ["shadows": [one.value]]
        case .hour: return try await hour.answer(of: try parameters.instances())
        case .costs:
            let minutes = try parameters.number("minutes", from: 1, "a number of minutes from 1 to 60") ?? 60
            guard minutes <= 60 else {
                throw .parameter("minutes", expected: "a number of minutes from 1 to 60", found: "\(minutes)")
            }
            return await hour.costs(ofMinutes: minutes)
        case .effects:
            let chosen = try parameters.instances()
            let limit = try parameters.number("limit", from: 1) ?? .max
            let known = try await target.planned().instances.map(\.id)
            if let unknown = chosen?.first(where: { !known.contains($0) }) {
                throw .unknownInstance(unknown, as: "instances", among: known)
            }
            let effects = try await target.effects(of: chosen)
            return [
                "count": Value(effects.count),
                "effects": .array(effects.prefix(limit).map(\.underWay)),
                "pauses": Value(target.pauses(of: chosen ?? known)),
            ]
        case .now:
            let id = try parameters.text("id", "the id of an instance")
            return ["id": .string(id), "ended": Value(try await target.endPauses(of: id, for: caller))]
        case .entry:
            let id = try parameters.text("id", "the id of an instance")
            // Settings may say more than those who only look should know.
            try await target.permit(caller)
            let running = try await target.planned()
            guard let instance = running.instances.first(where: { $0.id == id }) else {
                throw .unknownInstance(id, as: "id", among: running.instances.map(\.id))
            }
            return ["generation": Value(running.generation), "entry": instance.entry.value]
        case .generations:
            let id = try parameters.text("id", "the id of an instance")
            let limit = try parameters.number("limit", from: 1) ?? 20
            let answer = try await target.journalled().generations(of: id, limit: limit)
            guard answer["count"] != 0 else {
                throw .unknownInstance(
                    id, as: "id", among: try await target.planned().instances.map(\.id))
            }
            return answer
        case .graph:
            let running = try await target.planned()
            // Patterns are compared with all names, which may take too long for the event loop.
            let graph = await BackgroundThread.value { ActionGraph(running.instances).value }
            var members = graph.objectValue ?? [:]
            members["generation"] = Value(running.generation)
            return .object(members)
        case .gate:
            let id = try parameters.text("id", "the id of an instance")
            let position = try parameters.position()
            let move = try await target.moveGate(of: id, to: position, for: caller)
            var members: Members = [
                "id": .string(id), "gate": .string(position.word), "was": move.was.map(Value.string) ?? .null,
            ]
            members["partitions"] = move.partitions.map { Value($0) }
            return .object(members)
        case .release:
            let name = try parameters.text("name", "an instance, a plugin or a digest")
            let catchesUp = try parameters.flag("catchUp")
            return catchesUp
                ? try await target.release(catchingUp: name, for: caller)
                : try await target.release(name, for: caller)
        case .dispatch:
            let actions = try made(try parameters.actions())
            let outcome = try await target.dispatch(actions, for: caller)
            var members: Members = [
                "dispatched": Value(actions.count), "reported": Value(outcome.reported),
            ]
            members["appended"] = outcome.appended.map { Value($0) }
            return .object(members)
        case .deadLetters: return try await deadLetters(parameters)
        case .redispatch:
            let ids = try parameters.deadLetters()
            let kind = try parameters.deadLetterKind()
            let edited = try parameters.editedAction(of: ids)
            return ["results": .array(try await redispatch(ids, kind, as: edited, for: caller))]
        case .discard:
            let ids = try parameters.deadLetters()
            let kind = try parameters.deadLetterKind()
            try await target.permit(caller)
            let chosen = ids ?? target.letters.list(kind).map(\.id)
            let results = chosen.map { id in
                (target.letters.remove(id) ? Redispatch.discarded : .unknown).value(of: id)
            }
            return ["results": .array(results)]
        case .history:
            let query = try parameters.history()
            return try await target.journalled().history(query)
        case .state:
            if let past = try parameters.pastState() {
                return try await target.journalled().state(past)
            }
            let pointer = try parameters.pointer("pointer")
            var members: Members = ["pointer": .string("\(pointer)")]
            let depth = try parameters.number("depth", from: 1)
            let answer = try await target.state(at: pointer)
            if let value = answer.value {
                ShallowValue(value, depth: depth, at: pointer).add(to: &members)
            }
            answer.addSlices(to: &members)
            return .object(members)
        case .watch, .unwatch:
            throw .refused("expected a request with one answer, found \(method.rawValue); call watch instead")
        case .cluster:
            let cluster = try cluster()
            let survey = try await cluster.survey()
            let account = cluster.account
            guard case .object(var members) = survey.value(of: account.name) else { return .null }
            members["account"] = account.value
            return .object(members)
        case .clusterDrain:
            let host = try parameters.text("host", "the name of a member")
            let isUndone = try parameters.flag("undo")
            try await target.permit(caller)
            return try await drain(host, !isUndone)
        case .clusterReload:
            let cluster = try cluster()
            try await target.permit(caller)
            return ["request": Value(try await cluster.reload()), "members": Value(cluster.account.members)]
        case .upgrade:
            let program = try parameters.path("program", of: "a program")
            if caller.instance != nil {
                throw .refused(
                    "only clients of the control socket may choose which program goes on for the host")
            }
            return try await target.upgrader().upgrade(to: program)
        case .stop:
            try await target.permit(caller)
            try target.stop()
            return ["stopping": true]
        }
    }

    /// Returns the status of the host and the socket.
    private func status() async throws(ControlError) -> ControlStatus {
        var status = try await target.status()
        status.clients = clients?()
        status.shadows = target.shadows
        return status
    }

    /// Returns the host's cluster.
    private func cluster() throws(ControlError) -> any ControlCluster {
        guard let cluster = target.cluster else {
            throw .refused("this host is in no cluster; \"cluster\" in its configuration joins one")
        }
        return cluster
    }

    /// Drains a member or undoes that; returns how many partitions it owns, and which members can take over.
    private func drain(_ host: String, _ isDraining: Bool) async throws(ControlError) -> Value {
        let cluster = try cluster()
        let before = try await cluster.survey()
        let known =
            before.members.map(\.presence.name)
            + (isDraining ? [] : cluster.account.draining.sorted())
        guard known.contains(host) else {
            throw .parameter(
                "host", expected: "the name of a member", found: Quotation.of(host),
                advice: ControlError.advice(for: host, among: known)
                    ?? "the members are \(known.joined(separator: ", "))")
        }
        try await cluster.drain(host, isDraining)
        let survey = try await cluster.survey()
        return [
            "host": .string(host), "draining": .bool(isDraining),
            "partitions": Value(survey.owned(by: host)), "heirs": Value(survey.heirs),
        ]
    }

    /// Returns the requested dead letters.
    private func deadLetters(_ parameters: ControlParameters) async throws(ControlError) -> Value {
        let kind = try parameters.deadLetterKind()
        let letters = target.letters
        let shown: [DeadLetter]
        if let id = try parameters.number("id") {
            guard let letter = letters[Int64(id)] else {
                throw .parameter(
                    "id", expected: "the number of a dead letter", found: "\(id)",
                    advice: "look at the list of them")
            }
            shown = [letter]
        } else {
            shown = letters.list(kind, atMost: try parameters.number("limit", from: 1) ?? .max)
        }
        let counts = letters.counts
        // Parsing the actions again may take too long for the event loop. Plugins may occupy all task
        // threads, and must not hold up the client.
        let values = await BackgroundThread.value { shown.map(\.value) }
        return [
            "kept": Value(counts.kept), "forgotten": Value(counts.forgotten), "letters": .array(values),
        ]
    }

    /// Dispatches dead letters again, one after the other; returns the outcome of each.
    private func redispatch(
        _ ids: [Int64]?, _ kind: DeadLetter.Kind?, as edited: ControlAction?, for caller: ControlCaller
    ) async throws(ControlError) -> [Value] {
        try await target.permit(caller)
        // Later arrivals are left alone; otherwise a letter that dies again would be retried forever.
        let chosen = ids ?? target.letters.list(kind).filter { !$0.action.isEmpty }.map(\.id)
        var results: [Value] = []
        for id in chosen { results.append(try await redispatch(id, as: edited, for: caller).value(of: id)) }
        return results
    }

    /// Dispatches one dead letter again, or another action in its place.
    private func redispatch(
        _ id: Int64, as edited: ControlAction?, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch {
        guard let letter = target.letters[id] else { return .unknown }
        let wanted: ControlAction
        if let edited {
            wanted = edited
        } else if !letter.action.isEmpty, let value = try? JSONText.parse(letter.action) {
            wanted = try ControlAction(value, at: .whole)
        } else {
            return .actionless
        }
        let action = try made([wanted])[0]
        return try await target.redispatch(action, of: letter, for: caller)
    }

    /// Makes the actions that a client sent.
    private func made(_ sent: [ControlAction]) throws(ControlError) -> [AnyAction] {
        let actions = sent.compactMap { $0.made(by: &intake) }
        guard actions.count == sent.count else {
            throw .exhausted("there is no room for more action types; nothing was dispatched")
        }
        return actions
    }
}

// MARK: - Instances

extension ControlService: GrantedControl.Target {
    func request(
        _ method: String, _ parameters: Value, from caller: ControlCaller
    ) async throws(ControlError) -> Value {
        guard let known = ControlMethod(rawValue: method) else { throw .unknown(method: method) }
        return try await answer(known, try ControlParameters(parameters, of: known), for: caller)
    }

    func watch(_ parameters: Value) async throws(ControlError) -> HostNews {
        let watch = InstanceWatch(try ControlParameters(parameters, of: .watch).filter(), of: target)
        try await target.watch(watch.subscription)
        return HostNews { () throws(ControlError) in try await watch.next() }
    }
}
