// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
package import GatehouseSDK

// The ledger as JSON in its file. Unknown values are left out.
extension CrashLedger {
    /// The whole ledger.
    package var value: Value {
        [
            "crashes": .array(crashes.map(\.value)), "quarantined": .array(quarantined.map(\.value)),
            "setAside": .array(setAside.map(\.value)),
            "deaths": .object(
                deaths.sorted { $0.key < $1.key }.reduce(into: Members()) {
                    $0[$1.key] = .unsigned(UInt64(clamping: $1.value))
                }),
        ]
    }

    /// Reads a ledger; nil for anything a host does not write.
    package init?(_ value: Value) {
        guard let crashes = value["crashes"]?.arrayValue, let quarantined = value["quarantined"]?.arrayValue,
            let setAside = value["setAside"]?.arrayValue
        else { return nil }
        self.crashes = crashes.compactMap(Crash.init)
        self.quarantined = quarantined.compactMap(Quarantine.init)
        self.setAside = setAside.compactMap(SetAside.init)
        // Earlier hosts did not write any.
        for (instance, count) in value["deaths"]?.objectValue ?? [:] { deaths[instance] = count.intValue }
        guard self.crashes.count == crashes.count, self.quarantined.count == quarantined.count,
            self.setAside.count == setAside.count
        else { return nil }
    }
}

extension CrashLedger.Crash {
    /// The crash as JSON.
    fileprivate var value: Value {
        var members: Members = ["time": .double(time), "cause": .string(cause)]
        members["account"] = account?.value
        if isChance { members["isChance"] = true }
        return .object(members)
    }

    /// Reads a crash.
    fileprivate init?(_ value: Value) {
        guard let time = value["time"]?.doubleValue, let cause = value["cause"]?.stringValue else {
            return nil
        }
        let account = value["account"].map(FlightRecord.init(_:))
        if case .some(.none) = account { return nil }
        self.init(
            time: time, cause: cause, account: account ?? nil, isChance: value["isChance"] == true)
    }
}

extension CrashLedger.Quarantine {
    /// The quarantine as JSON.
    fileprivate var value: Value {
        [
            "digest": .string(digest), "plugin": .string(plugin), "since": .double(since),
            "reason": .string(reason),
        ]
    }

    /// Reads a quarantine.
    fileprivate init?(_ value: Value) {
        guard let digest = value["digest"]?.stringValue, let plugin = value["plugin"]?.stringValue,
            let since = value["since"]?.doubleValue, let reason = value["reason"]?.stringValue
        else { return nil }
        self.init(digest: digest, plugin: plugin, since: since, reason: reason)
    }
}

extension CrashLedger.SetAside {
    /// The input as JSON.
    fileprivate var value: Value {
        var members: Members = [
            "input": input.value, "since": .double(since), "reason": .string(reason),
        ]
        members["type"] = type.map { .string($0) }
        return .object(members)
    }

    /// Reads an input.
    fileprivate init?(_ value: Value) {
        guard let input = value["input"].flatMap(InputOrigin.init(_:)),
            let since = value["since"]?.doubleValue,
            let reason = value["reason"]?.stringValue
        else { return nil }
        self.init(input: input, type: value["type"]?.stringValue, since: since, reason: reason)
    }
}

extension FlightRecord {
    /// The account as JSON.
    fileprivate var value: Value {
        var members: Members = ["sentence": .string(sentence), "blame": .string("\(blame)")]
        if case .partition(let number) = store {
            members["partition"] = number.map { .unsigned(UInt64($0)) } ?? .null
        }
        members["step"] = step.map { .string($0.word) }
        for (key, text) in [("instance", instance), ("plugin", plugin), ("digest", digest), ("type", type)] {
            members[key] = text.map { .string($0) }
        }
        members["number"] = sequence.map { .unsigned($0) }
        members["input"] = input?.value
        return .object(members)
    }

    /// Reads an account.
    fileprivate init?(_ value: Value) {
        guard let sentence = value["sentence"]?.stringValue, let word = value["blame"]?.stringValue,
            let blame = [Blame.nobody, .record, .frames].first(where: { "\($0)" == word })
        else { return nil }
        self.init(
            blame: blame, store: value["partition"].map { .partition($0.intValue) } ?? .host,
            step: PluginStep.allCases.first { $0.word == value["step"]?.stringValue },
            signal: 0,
            isSent: false, instance: value["instance"]?.stringValue, plugin: value["plugin"]?.stringValue,
            digest: value["digest"]?.stringValue, sequence: value["number"]?.intValue.map { UInt64($0) },
            type: value["type"]?.stringValue, input: value["input"].flatMap(InputOrigin.init(_:)),
            sentence: sentence)
    }
}

extension InputOrigin {
    /// The origin as JSON.
    fileprivate var value: Value {
        var members = Members()
        members["number"] = number.map { .unsigned($0) }
        if let place {
            members["file"] = .string(place.file)
            members["line"] = .unsigned(place.line)
            members["isReadAgain"] = .bool(place.isReadAgain)
        }
        return .object(members)
    }

    /// Reads an origin.
    fileprivate init?(_ value: Value) {
        guard value.objectValue != nil else { return nil }
        let number = value["number"]?.intValue.flatMap { $0 > 0 ? UInt64($0) : nil }
        var place: Place?
        if let file = value["file"]?.stringValue, let line = value["line"]?.intValue, line > 0 {
            place = Place(file: file, line: UInt64(line), isReadAgain: value["isReadAgain"] == true)
        }
        self.init(number: number, place: place)
    }
}
