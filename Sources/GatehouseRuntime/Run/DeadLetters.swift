// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// The dead letters of a host, in order: at most 1,000 and 4 MiB, the oldest go first. Those that an entry of the configuration asks for
/// have bounds of their own.
///
/// Callable from any thread. Nothing here is touched on the way of an action that comes to what it is for.
package final class DeadLetters: Sendable {
    /// So many are kept.
    package static let most = 1_000
    /// So many bytes they may have together.
    package static let mostBytes = 4 << 20
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
        /// Those that entries of instances have asked for, and under no id the inputs.
        var asked: [String: KeptLetters] = [:]
        /// By what rules; what is kept of an earlier run has none until its instance is there.
        var rules: [String: KeepConfiguration] = [:]
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
                var own = asked.removeValue(forKey: instance) ?? KeptLetters()
                own.insert(letter.id, of: size)
                if own.isSparse { own.compact { letters[$0] != nil } }
                asked[instance] = own
            } else {
                count += 1
                bytes += size
            }
        }

        /// Takes a letter in under the next number, also where it outlives the process.
        mutating func bury(_ letter: DeadLetter) {
            var letter = letter
            letter.id = next
            next += 1
            insert(letter)
            store?.bury(letter)
        }

        /// Takes a letter away; false when there is none with the number.
        mutating func remove(_ id: Int64) -> Bool {
            guard let letter = letters.removeValue(forKey: id) else { return false }
            let size = DeadLetters.size(of: letter)
            if letter.kind.isAskedFor {
                asked[letter.instance ?? ""]?.remove(of: size)
            } else {
                count -= 1
                bytes -= size
            }
            return true
        }

        /// Lets the oldest go that an entry has asked for, until the rest is within its bounds.
        mutating func shrink(_ instance: String, at now: Double) {
            guard let rules = rules[instance] else { return }
            var gone: [Int64] = []
            while let id = asked[instance]?.oldest {
                if let letter = letters[id] {
                    guard let kept = asked[instance],
                        kept.count > rules.count || kept.bytes > rules.bytes
                            || letter.time < now - Double(rules.age)
                    else { break }
                    gone.append(id)
                    _ = remove(id)
                }
                asked[instance]?.passOldest()
            }
            forget(gone)
        }

        /// Counts letters that had to go, and removes them where they outlive the process.
        private mutating func forget(_ gone: [Int64]) {
            forgotten += gone.count
            if !gone.isEmpty { store?.remove(deadLetters: gone) }
        }

        /// Lets those go that have become too old since somebody looked.
        mutating func age(to now: Double) {
            for instance in rules.keys { shrink(instance, at: now) }
        }

        /// Lets the oldest go until the rest fits.
        mutating func shrink() {
            var gone: [Int64] = []
            while count > DeadLetters.most || bytes > DeadLetters.mostBytes, oldest < next {
                if letters[oldest]?.kind.isAskedFor == false, remove(oldest) { gone.append(oldest) }
                oldest += 1
            }
            forget(gone)
        }
    }

    /// All of it.
    private let content = Mutex(Content())
    /// The time, in seconds since 1970.
    private let now: @Sendable () -> Double

    /// No letters yet.
    ///
    /// - Parameter now: gives the time in seconds since 1970, by which letters become too old; called on any thread.
    package init(now: @escaping @Sendable () -> Double = { UnixTime.now }) { self.now = now }

    /// What a letter takes, in bytes.
    private static func size(of letter: DeadLetter) -> Int {
        letter.action.count + letter.reason.utf8.count + letter.type.utf8.count + 256
    }

    // MARK: - Keeping

    /// Keeps an action that came to nothing, under its global type.
    package func add(
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
    package func add(
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
    package func add(_ letter: DeadLetter) {
        content.withLock { content in
            if letter.sequence != nil, !content.earlier.isEmpty, content.isRepeated(letter) { return }
            content.bury(letter)
            content.shrink()
        }
    }

    /// Keeps an action by the rules of whoever asks for it: the entry of an instance that has stopped it, or whose gate has kept it from it,
    /// or the inputs.
    package func keep(
        _ kind: DeadLetter.Kind, _ action: AnyAction, from source: ActionSource, instance: String?,
        reason: String, by rules: KeepConfiguration
    ) {
        let now = now()
        var bytes: [UInt8] = []
        var reason = reason
        if var form = try? action.wireForm() {
            let trimmed = rules.without.filter { form[$0] != nil }
            for pointer in trimmed { form.set(nil, at: pointer) }
            if !trimmed.isEmpty {
                reason += "; kept without \(trimmed.map(\.description).joined(separator: ", "))"
            }
            form.writeJSON(to: &bytes)
        } else {
            reason += "; it cannot be written as JSON"
        }
        if bytes.count > min(Self.longestAction, rules.bytes) {
            reason += "; its \(bytes.count) bytes are more than are kept of an action"
            bytes = []
        }
        let letter = DeadLetter(
            kind, type: action.type.name, action: bytes, from: source, instance: instance, time: now,
            reason: reason)
        content.withLock { content in
            content.bury(letter)
            content.rules[instance ?? ""] = rules
            content.shrink(instance ?? "", at: now)
        }
    }

    /// Bounds what an instance has asked for in earlier runs; rules that it has kept something by in this run stay.
    package func bound(_ instance: String, by rules: KeepConfiguration) {
        content.withLock { content in
            if content.rules[instance] == nil { content.rules[instance] = rules }
        }
    }

    /// Bounds what an instance has asked for by other rules from here on; what they do not let it keep goes at once.
    package func bound(_ instance: String, anewBy rules: KeepConfiguration) {
        content.withLock { content in
            content.rules[instance] = rules
            content.shrink(instance, at: now())
        }
    }

    /// Takes over the letters that earlier runs have left, and keeps those that come in the same place; called once, before
    /// the first action.
    package func keep(in store: any DeadLetterStore, behind earlier: [DeadLetter]) {
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
            for letter in newer { content.bury(letter) }
            content.oldest = content.letters.keys.min() ?? content.next
            content.shrink()
        }
    }

    /// Forgets a letter; false when there is none with the number.
    @discardableResult
    package func remove(_ id: Int64) -> Bool {
        content.withLock { content in
            guard content.remove(id) else { return false }
            content.store?.remove(deadLetters: [id])
            return true
        }
    }

    // MARK: - Looking

    /// Looks at what is not too old.
    private func withLetters<Result: Sendable>(_ look: (Content) -> Result) -> Result {
        content.withLock { content in
            content.age(to: now())
            return look(content)
        }
    }

    /// How many there are, and how many had to go.
    package var counts: (kept: Int, forgotten: Int) { withLetters { ($0.letters.count, $0.forgotten) } }

    /// The number of the letter that comes next: those that come later have no lower one.
    package var next: Int64 { content.withLock { $0.next } }

    /// A letter by its number.
    package subscript(id: Int64) -> DeadLetter? { withLetters { $0.letters[id] } }

    /// The newest of a kind, nil for all kinds, in order of their numbers.
    package func list(_ kind: DeadLetter.Kind? = nil, atMost limit: Int = .max, from first: Int64 = 0)
        -> [DeadLetter]
    {
        withLetters { content in
            content.letters.values.filter { $0.id >= first && (kind == nil || $0.kind == kind) }
        }.sorted { $0.id < $1.id }.suffix(limit)
    }
}
