// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue
private import Glibc

/// What a host remembers of signatures, so that nobody can bring back what is out of date: by key, so that one key cannot make
/// what another signs look old.
package struct SigningLedger: Equatable, Sendable {
    /// What is known of one key.
    struct Key: Equatable, Sendable {
        /// The highest serial that has run, by the id of the plugin.
        var serials: [String: Int] = [:]
        /// The list with the highest serial that was seen.
        var revocations: Revocations?
    }

    /// What is known, by the number of the key.
    var keys: [MinisignKey.ID: Key] = [:]

    /// Notes a library that runs.
    mutating func note(_ signed: Endorsement.Signed, of plugin: String) {
        let known = keys[signed.key, default: Key()].serials[plugin] ?? 0
        keys[signed.key, default: Key()].serials[plugin] = max(known, signed.serial)
    }

    /// Notes a list, unless a later one of its key is known; returns the one that counts.
    mutating func note(_ list: Revocations, of key: MinisignKey.ID) -> Revocations {
        if let known = keys[key]?.revocations, known.serial > list.serial { return known }
        keys[key, default: Key()].revocations = list
        return list
    }

    /// The highest serial of a key that has run for a plugin; nil for none.
    func serial(of key: MinisignKey.ID, for plugin: String) -> Int? { keys[key]?.serials[plugin] }
}

extension SigningLedger {
    /// The ledger as JSON.
    var value: Value {
        let members = keys.sorted { $0.key.description < $1.key.description }.map {
            id, key -> (String, Value) in
            let serials = key.serials.sorted { $0.key < $1.key }.map { ($0.key, Value($0.value)) }
            var members: Members = ["serials": .object(Members(serials))]
            if let list = key.revocations {
                members["revocations"] = ["serial": Value(list.serial), "list": list.value]
            }
            return (id.description, .object(members))
        }
        return ["keys": .object(Members(members))]
    }

    /// Reads a ledger; nil for what no host has written.
    init?(_ value: Value) {
        guard let members = value["keys"]?.objectValue else { return nil }
        for (name, value) in members {
            guard let id = MinisignKey.ID(name), let serials = value["serials"]?.objectValue else {
                return nil
            }
            var key = Key()
            for (plugin, serial) in serials {
                guard let serial = serial.intValue else { return nil }
                key.serials[plugin] = serial
            }
            if let list = value["revocations"] {
                guard let serial = list["serial"]?.intValue, let written = list["list"],
                    let reasons = try? Revocations.read(written)
                else { return nil }
                key.revocations = Revocations(serial: serial, reasons: reasons)
            }
            keys[id] = key
        }
    }
}

/// The file of the ledger, among the data of the host.
package struct SigningLedgerFile: Sendable {
    /// The path of the file.
    package let path: String
    /// The most bytes that it may have.
    private static let limit = 64 << 20

    /// The file of the host whose configuration is in a folder.
    package init(beside folder: String) { path = DataFolder.path(beside: folder) + "/host/signatures.json" }

    /// Reads the ledger; an empty one where there is no file.
    ///
    /// - Throws: why not, as a sentence: without it nobody knows what is out of date.
    func read() throws(Diagnostic) -> SigningLedger {
        let bytes: [UInt8]
        do throws(SystemFile.ReadingError) {
            bytes = try SystemFile.bytes(of: path, limit: Self.limit)
        } catch .system(code: ENOENT), .system(code: ENOTDIR) {
            return SigningLedger()
        } catch {
            throw Diagnostic(
                .error, "\(path): the record of signatures cannot be read: \(error); make it readable")
        }
        guard let value = try? JSONText.parse(bytes), let ledger = SigningLedger(value) else {
            throw Diagnostic(
                .error,
                "\(path): this is not a host's record of signatures; put it back from a backup, or remove it to accept what is out of date once more"
            )
        }
        return ledger
    }

    /// Writes the ledger; at any moment the file has the old content or the new one.
    func write(_ ledger: SigningLedger) throws(SystemFailure) {
        let folder = SystemFile.parts(of: path).folder
        for path in [SystemFile.parts(of: folder).folder, folder] { try SystemFile.makeFolder(path) }
        try SystemFile.replace(path, with: Array((ledger.value.json() + "\n").utf8), isLasting: true)
    }
}
