// SPDX-License-Identifier: Apache-2.0

/// Several reducers, each with its own entry; made by `+`, or from a single reducer.
///
/// A value: joining makes a longer list and leaves both operands unchanged.
public struct CombinedReducer: Reducer {
    /// In the order they run; no two have the same key.
    let members: [KeyedReducer]

    /// The reducers left out because their key was taken, in the order they were found.
    public let problems: [StoreProblem]

    /// Creates a combination of one reducer; a combination is taken as it is.
    public init<Single: Reducer>(_ reducer: Single) {
        if let combined = reducer as? CombinedReducer {
            self = combined
        } else {
            self.init(members: [KeyedReducer(reducer)], problems: [])
        }
    }

    /// Combines members whose keys are known to differ, with the problems so far.
    private init(members: [KeyedReducer], problems: [StoreProblem]) {
        self.members = members
        self.problems = problems
    }

    /// Returns the members of both, this one's first.
    func appending(_ other: CombinedReducer) -> CombinedReducer {
        var joined = members
        var problems = problems + other.problems
        for member in other.members {
            if let first = joined.first(where: { $0.key == member.key }) {
                problems.append(.duplicateKey(member.key, kept: first.name, dropped: member.name))
            } else {
                joined.append(member)
            }
        }
        return CombinedReducer(members: joined, problems: problems)
    }

    /// The initial entries of all members.
    public var initialState: KeyedState {
        KeyedState(uniqueKeysWithValues: members.map { ($0.key, $0.initialState) })
    }

    /// The keys of the members, joined by plus signs.
    public var stateKey: StateKey { members.map(\.key).joined(separator: "+") }

    /// Lets each member reduce its own entry; returns nil if none changed.
    ///
    /// An entry that is missing or has another type is kept as it is; a store also reports it.
    public func reduce(state: KeyedState, action: any Action) -> KeyedState? {
        var state = state
        return reduce(&state, action).changedKeys.isEmpty ? nil : state
    }

    /// The result of reducing the entries of several members.
    public struct Result: Equatable, Sendable {
        /// The keys of the entries that changed, in the order of the members.
        public var changedKeys: [StateKey] = []
        /// The entries that are missing or have another type than their reducer, and are kept as they are.
        public var problems: [StoreProblem] = []

        /// Creates a result in which nothing has changed.
        public init() {}
    }

    /// Lets each member reduce its own entry in place, and returns which have changed.
    public func reduce(_ entries: inout KeyedState, _ action: any Action) -> Result {
        var result = Result()
        for member in members {
            do throws(StoreProblem) {
                guard let next = try member.reduce(entries[member.key], action) else { continue }
                entries[member.key] = next
                result.changedKeys.append(member.key)
            } catch {
                result.problems.append(error)
            }
        }
        return result
    }
}
