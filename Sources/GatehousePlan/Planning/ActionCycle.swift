// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// Answerers of which each emits what the next one hears, and the last one what the first one hears; or one that hears what
/// it emits itself.
///
/// Only names and beginnings of names count. What hears or emits everything says nothing about what it answers to.
struct ActionCycle {
    /// One step: an answerer, and what it emits that the next one hears.
    struct Step {
        /// The answerer, which hears what the step before emits.
        let answerer: Answerer
        /// What leads on to the next step, a name or the narrower of two patterns.
        let type: TypePattern
    }

    /// The steps, beginning with the answerer that comes first in the chain.
    let steps: [Step]

    /// The answerer that comes first in the chain.
    var first: Answerer { steps[0].answerer }

    /// The shortest cycle through the first of each group of answerers that reach each other.
    ///
    /// Linear in answerers and declared names, apart from patterns: each of those is compared with all names.
    static func all(among instances: [PlannedInstance]) -> [ActionCycle] {
        let answerers = Answerer.all(among: instances)
        let edges = edges(among: answerers)
        var backward = [[Int]](repeating: [], count: answerers.count)
        for (from, targets) in edges.enumerated() {
            for target in targets { backward[target.index].append(from) }
        }
        var isDone = [Bool](repeating: false, count: answerers.count)
        return answerers.indices.compactMap { start in
            guard !isDone[start], let path = shortestWay(from: start, backTo: start, edges) else {
                return nil
            }
            let ahead = reached(from: start) { edges[$0].map(\.index) }
            let behind = reached(from: start) { backward[$0] }
            for index in ahead.intersection(behind) { isDone[index] = true }
            return ActionCycle(steps: path.map { Step(answerer: answerers[$0.index], type: $0.type) })
        }
    }

    /// An answerer, and the type that leads to it or away from it.
    private typealias Hop = (index: Int, type: TypePattern)

    /// For each answerer those that hear what it emits, in chain order, each once; itself where it may answer itself.
    private static func edges(among answerers: [Answerer]) -> [[Hop]] {
        var names: [String: [Int]] = [:]
        var patterns: [Hop] = []
        for (index, answerer) in answerers.enumerated() {
            for pattern in answerer.heard {
                if pattern.isOpen {
                    patterns.append((index, pattern))
                } else {
                    names[pattern.stem, default: []].append(index)
                }
            }
        }
        return answerers.enumerated().map { index, answerer in
            var found: [Int: TypePattern] = [:]
            for emitted in answerer.emitted {
                var hops: [Hop] = patterns.compactMap { hop in
                    hop.type.intersection(emitted).map { (hop.index, $0) }
                }
                if emitted.isOpen {
                    for (name, listeners) in names where emitted.covers(name) {
                        hops += listeners.map { ($0, TypePattern(stem: name, isOpen: false)) }
                    }
                } else {
                    hops += (names[emitted.stem] ?? []).map { ($0, emitted) }
                }
                for hop in hops where hop.index != index || answerer.own.contains(emitted) {
                    // The same words on every run, whatever the order of a dictionary.
                    if let known = found[hop.index], known.description <= hop.type.description { continue }
                    found[hop.index] = hop.type
                }
            }
            return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// The steps of a shortest way, each with the type that leads on; nil if there is none.
    private static func shortestWay(from start: Int, backTo end: Int, _ edges: [[Hop]]) -> [Hop]? {
        var origin: [Int: Hop] = [:]
        var waiting = [start]
        var next = 0
        while next < waiting.count {
            let current = waiting[next]
            next += 1
            for hop in edges[current] where origin[hop.index] == nil {
                origin[hop.index] = (current, hop.type)
                guard hop.index == end else {
                    waiting.append(hop.index)
                    continue
                }
                var way: [Hop] = []
                var place = end
                while let hop = origin[place] {
                    way.append(hop)
                    place = hop.index
                    if place == start { break }
                }
                return way.reversed()
            }
        }
        return nil
    }

    /// Everything that can be reached.
    private static func reached(from start: Int, _ next: (Int) -> [Int]) -> Set<Int> {
        var found: Set<Int> = [start]
        var waiting = [start]
        while let current = waiting.popLast() {
            for index in next(current) where found.insert(index).inserted { waiting.append(index) }
        }
        return found
    }
}

extension ActionCycle: CustomStringConvertible {
    /// The steps in order: `a emits x, heard by b, which emits y, heard by a`.
    var description: String {
        guard steps.count > 1 else { return "\(first) emits \(steps[0].type), heard by itself" }
        let next = steps.dropFirst().map(\.answerer) + [first]
        let parts = zip(steps, next).map { step, next in "emits \(step.type), heard by \(next)" }
        return "\(first) \(parts.joined(separator: ", which "))"
    }
}
