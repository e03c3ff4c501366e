// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Runs past reducers in children of this process, so that no old images stay mapped, and a reducer that traps or hangs ends only its
/// child.
///
/// An instance that ended a child is suspended at the action before: the others reduce the same actions once more, in another child.
package struct ChildReducer: PastReducer {
    /// The host's own program.
    package var program = HostChild.ownProgram
    /// Whether to refuse files that their group may write to.
    package let isStrict: Bool
    /// How long a child may go without progress.
    package let patience: Duration
    /// The memory limit of a child, in bytes; nil for none.
    package var memory: Int?
    /// The plan that replaces the recorded ones, whose images are kept; nil for none.
    package var plan: RecordedPlan?

    /// Reduces in a child process.
    package init(isStrict: Bool, patience: Duration, memory: Int? = nil, plan: RecordedPlan? = nil) {
        self.isStrict = isStrict
        self.patience = patience
        self.memory = memory
        self.plan = plan
    }

    package func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult {
        let reduction = plan.map(reduction.replacingPlan) ?? reduction
        let access = reduction.access(trust: FileTrust(isStrict: isStrict))
        var fallen: [FallenInstance] = []
        while true {
            let flightRecorder = try Self.memory { () throws(SystemFailure) in try FlightRecorder.makeFile() }
            defer { close(flightRecorder) }
            let result = try Self.memory { () throws(SystemFailure) in try MemoryFile.make("state", size: 0) }
            defer { close(result) }
            let request = ReductionRequest(
                reduction: reduction, fallen: fallen, isStrict: isStrict, flightRecorder: flightRecorder,
                result: result)
            let outcome: HostChild.Outcome
            do throws(ChildFailure) {
                outcome = try HostChild(
                    program, .reduce, request: request.bytes, images: [flightRecorder, result],
                    access: access, tracesCalls: false
                ).follow(HostChild.Limits(time: patience, memory: memory), stop: nil) {
                    HistoryEvent(line: $0) != nil
                }
            } catch {
                throw .child("\(error)")
            }
            let left = Self.left(in: result)
            var found = try Self.fallen(in: outcome, FlightRecorder(lookingAt: flightRecorder))
            if case .fallen(let one)? = left { found = one }
            if let one = found {
                guard !fallen.contains(where: { $0.id == one.id }) else {
                    throw .child("the reducer of \(one.id) \(one.reason) although it was left out")
                }
                fallen.append(one)
                continue
            }
            return try Self.answer(in: outcome, reduction, fallen, left)
        }
    }

    // MARK: - Implementation details

    /// Returns the instance whose reducer ended a child or did not return; nil where none did.
    private static func fallen(in outcome: HostChild.Outcome, _ flightRecorder: FlightRecorder)
        throws(PastFailure)
        -> FallenInstance?
    {
        guard let reason = outcome.end.text else { return nil }
        guard let activity = flightRecorder.lastActivity, let id = activity.instance,
            let sequence = activity.sequence,
            sequence > 0
        else {
            throw .child(
                "the child process that replays the journal \(reason), and no reducer is to blame"
                    + Backtrace.lines(in: outcome.words, library: "lib").map { "\n  " + $0 }.joined())
        }
        return FallenInstance(id: id, at: sequence - 1, reason: reason)
    }

    /// What a child has left in the file for its result; nil for nothing.
    private static func left(in result: Int32) -> ReductionOutcome? {
        (try? SystemFile.bytes(of: "/proc/self/fd/\(result)", limit: .max)).flatMap(ReductionOutcome.init)
    }

    /// Returns the result of a child.
    private static func answer(
        in outcome: HostChild.Outcome, _ reduction: PastReduction, _ fallen: [FallenInstance],
        _ left: ReductionOutcome?
    ) throws(PastFailure) -> PastResult {
        let events = outcome.lines.suffix(2).compactMap { HistoryEvent(line: $0[...]) }
        switch events.first {
        case .answer?:
            switch left {
            case .reduced(let state, let count, let findings)?:
                return PastResult(
                    state: state, count: count, diagnostics: findings.map { Diagnostic(.warning, $0) },
                    fallen: fallen)
            case .unrunnable(let reasons)?: throw .unrunnable(reduction.unrunnable(because: reasons))
            case .fallen?, nil: throw .child("the child process that replays the journal left no state")
            }
        case .failure(let lines)?: throw .child(lines.joined(separator: "\n  "))
        default: throw .child("the child process that replays the journal reported nothing")
        }
    }

    /// Creates a file in memory that is shared with a child.
    private static func memory(
        _ make: () throws(SystemFailure) -> Int32
    ) throws(PastFailure) -> Int32 {
        do throws(SystemFailure) { return try make() } catch {
            throw .child("\(ChildFailure(ofMemory: error))")
        }
    }
}
