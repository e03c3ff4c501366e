// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// Keeps dead letters for longer than the process lives.
protocol DeadLetterStore: Sendable {
    /// Keeps a letter, which has its number; called on any thread, and does not wait.
    func bury(_ letter: DeadLetter)

    /// Forgets letters; called on any thread, and does not wait.
    func remove(deadLetters: [Int64])
}

/// The dead letters of a host, in order: at most 1,000 and 4 MiB, the oldest go first. Those that an entry of the configuration asks for
/// have bounds of their own.
///
/// Callable from any thread. Nothing here is touched on the way of an action that comes to what it is for.
final class DeadLetters: Sendable {
    /// So many are kept.
    static let most = 1_000
    /// So many bytes they may have together.
    static let mostBytes = 4 << 20
    /// An action whose wire form is longer is not kept with its letter: 1 MiB.
    static let longestAction = 1 << 20

    /// What is guarded by the lock.
    private struct Content {
        /// By their numbers.
        var letters: [Int64: DeadLetter] = [:]
        /// Not above the number of the oldest.
        var oldest: Int64 = 1
        /// The number of the next.
        var next: Int64 = 1
        /// How many nobody has asked for, and what these take together.
        var (count, bytes) = (0, 0)
        /// Those that entries of instances have asked for, and under no id the inputs, in order, and what they take together.
        var asked: [String: (ids: [Int64], bytes: Int)] = [:]
        /// The newest of earlier runs that tell of numbered actions: a crash may have kept them, and not their actions, which come
        /// again then.
        var earlier: [DeadLetter] = []
        /// How many had to go because there were too many.
        var forgotten = 0
        /// Where they outlive the process; nil without a journal.
        var store: (any DeadLetterStore)?

        /// Whether a letter was kept before a crash already; asked for each numbered one until that cannot be any more.
        mutating func isRepeated(_ letter: DeadLetter) -> Bool {
            earlier.removeAll { ($0.sequence ?? 0) < (letter.sequence ?? 0) }
            return earlier.contains { letter.isRepetition(of: $0) }
        }

        /// Takes a letter in, which has its number.
        mutating func insert(_ letter: DeadLetter) {
            letters[letter.id] = letter
            let size = DeadLetters.size(of: letter)
            if letter.kind.isAskedFor {
                let instance = letter.instance ?? ""
                asked[instance, default: ([], 0)].ids.append(letter.id)
                asked[instance]?.bytes += size
            } else {
                count += 1
                bytes += size
            }
        }

        /// Takes a letter away; false when there is none with the number.
        mutating func remove(_ id: Int64) -> Bool {
            guard let letter = letters.removeValue(forKey: id) else { return false }
            let size = DeadLetters.size(of: letter)
            if letter.kind.isAskedFor {
                let instance = letter.instance ?? ""
                asked[instance]?.bytes -= size
            } else {
                count -= 1
                bytes -= size
            }
            return true
        }

        /// Lets the oldest go that an entry has asked for, until the rest is within its bounds.
        mutating func shrink(_ instance: String, to rules: KeepConfiguration, at now: Double) {
            guard var own = asked[instance] else { return }
            own.ids.removeAll { letters[$0] == nil }
            var gone: [Int64] = []
            for id in own.ids {
                let isOld = (letters[id]?.time ?? now) < now - Double(rules.age)
                let left = own.ids.count - gone.count
                guard isOld || left > rules.count || (asked[instance]?.bytes ?? 0) > rules.bytes else {
                    break
                }
                gone.append(id)
                _ = remove(id)
            }
            asked[instance]?.ids = Array(own.ids.dropFirst(gone.count))
            forgotten += gone.count
            if !gone.isEmpty { store?.remove(deadLetters: gone) }
        }

        /// Lets the oldest go until the rest fits.
        mutating func shrink() {
            var gone: [Int64] = []
            while count > DeadLetters.most || bytes > DeadLetters.mostBytes, oldest < next {
                if letters[oldest]?.kind.isAskedFor == false, remove(oldest) { gone.append(oldest) }
                oldest += 1
            }
            forgotten += gone.count
            if !gone.isEmpty { store?.remove(deadLetters: gone) }
        }
    }

    /// All of it.
    private let content = Mutex(Content())

    /// What a letter takes, in bytes.
    private static func size(of letter: DeadLetter) -> Int {
        letter.action.count + letter.reason.utf8.count + letter.type.utf8.count + 256
    }

    // MARK: - Keeping

    /// Keeps an action that came to nothing, under its global type.
    func add(
        _ kind: DeadLetter.Kind, _ action: AnyAction, from source: ActionSource, instance: String?,
        sequence: UInt64? = nil, reason: String
    ) {
        var bytes: [UInt8] = []
        var reason = reason
        do {
            try action.writeWireForm(to: &bytes)
            if bytes.count > Self.longestAction {
                reason +=
                    "; its \(bytes.count) bytes are more than the \(Self.longestAction) that are kept of an action"
                bytes = []
            }
        } catch {
            reason += "; it cannot be written as JSON: \(error)"
            bytes = []
        }
        add(
            DeadLetter(
                kind, type: action.type.name, action: bytes, from: source, instance: instance,
                sequence: sequence, reason: reason))
    }

    /// Keeps an action that an instance has heard under a local name and did not do.
    ///
    /// - Parameter type: its global type; nil where that cannot be told, and the action is not kept then.
    func add(
        _ kind: DeadLetter.Kind, _ type: String?, _ payload: Value?, named local: String,
        of instance: String, reason: String
    ) {
        var bytes: [UInt8] = []
        if let type {
            var members: Members = ["type": .string(type)]
            members["payload"] = payload
            Value.object(members).writeJSON(to: &bytes)
            if bytes.count > Self.longestAction { bytes = [] }
        }
        add(
            DeadLetter(
                kind, type: type ?? local, action: bytes, from: nil, instance: instance, reason: reason))
    }

    /// Keeps a letter and gives it its number, unless it was kept before a crash already.
    func add(_ letter: DeadLetter) {
        content.withLock { content in
            if letter.sequence != nil, !content.earlier.isEmpty, content.isRepeated(letter) { return }
            var letter = letter
            letter.id = content.next
            content.next += 1
            content.insert(letter)
            content.store?.bury(letter)
            content.shrink()
        }
    }

    /// Keeps an action by the rules of whoever asks for it: the entry of an instance that has stopped it, or whose gate has kept it from it,
    /// or the inputs.
    func keep(
        _ kind: DeadLetter.Kind, _ action: AnyAction, from source: ActionSource, instance: String?,
        reason: String, by rules: KeepConfiguration, at now: Double = UnixTime.now
    ) {
        var bytes: [UInt8] = []
        var reason = reason
        if var form = try? action.wireForm() {
            for pointer in rules.without { form.set(nil, at: pointer) }
            form.writeJSON(to: &bytes)
        } else {
            reason += "; it cannot be written as JSON"
        }
        if bytes.count > min(Self.longestAction, rules.bytes) {
            reason += "; its \(bytes.count) bytes are more than are kept of an action"
            bytes = []
        }
        var letter = DeadLetter(
            kind, type: action.type.name, action: bytes, from: source, instance: instance, time: now,
            reason: reason)
        content.withLock { content in
            letter.id = content.next
            content.next += 1
            content.insert(letter)
            content.store?.bury(letter)
            content.shrink(instance ?? "", to: rules, at: now)
        }
    }

    /// Takes over the letters that earlier runs have left, and keeps those that come in the same place; called once, before
    /// the first action.
    func keep(in store: any DeadLetterStore, behind earlier: [DeadLetter]) {
        content.withLock { content in
            let newer = content.letters.values.sorted { $0.id < $1.id }
            content.letters = [:]
            (content.count, content.bytes, content.asked) = (0, 0, [:])
            content.store = store
            for letter in earlier {
                content.insert(letter)
                content.next = max(content.next, letter.id + 1)
            }
            content.earlier = earlier.filter { $0.kind == .quarantined && $0.sequence != nil }
            for var letter in newer {
                letter.id = content.next
                content.next += 1
                content.insert(letter)
                store.bury(letter)
            }
            content.oldest = content.letters.keys.min() ?? content.next
            content.shrink()
        }
    }

    /// Forgets a letter; false when there is none with the number.
    @discardableResult
    func remove(_ id: Int64) -> Bool {
        content.withLock { content in
            guard content.remove(id) else { return false }
            content.store?.remove(deadLetters: [id])
            return true
        }
    }

    // MARK: - Looking

    /// How many there are, and how many had to go.
    var counts: (kept: Int, forgotten: Int) { content.withLock { ($0.letters.count, $0.forgotten) } }

    /// The number of the letter that comes next: those that come later have no lower one.
    var next: Int64 { content.withLock { $0.next } }

    /// A letter by its number.
    subscript(id: Int64) -> DeadLetter? { content.withLock { $0.letters[id] } }

    /// The newest of a kind, nil for all kinds, in order of their numbers.
    func list(_ kind: DeadLetter.Kind? = nil, atMost limit: Int = .max, from first: Int64 = 0) -> [DeadLetter]
    {
        content.withLock { content in
            content.letters.values.filter { $0.id >= first && (kind == nil || $0.kind == kind) }
        }.sorted { $0.id < $1.id }.suffix(limit)
    }
}
