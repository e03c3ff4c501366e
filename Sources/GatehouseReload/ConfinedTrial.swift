// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
private import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Tries a candidate on recorded actions, in a confined child of the host: without effects, network, or other data than a folder that
/// goes with it.
///
/// Used on a thread that may wait.
struct ConfinedTrial {
    /// Where the child finds the candidate's configuration, and the journal.
    let source: HistorySource
    /// The candidate's plan, as the child makes it too.
    let plan: HostPlan
    /// The instances that run, which are tried in the same child.
    let running: [PlannedInstance]
    /// The path of a library that replaces those with its plugin id; nil for none.
    var library: String?
    /// The part of the past to go over.
    let extent: TrialExtent
    /// How long the child may go without progress.
    let limit: Duration
    /// Ends the child when it becomes readable; nil for nothing.
    var stop: Int32?

    /// Why there is no outcome.
    enum Failure: Error, Equatable {
        /// The child died, or was ended; the first line says how and where.
        case death([String])
        /// It cannot be tried; why, line by line.
        case refusal([String])
        /// Somebody asked for the end.
        case stopped
    }

    /// Tries the candidate, and returns the outcome for programs.
    ///
    /// - Parameter onProgress: called with the number of actions that are done, and of all that are to be done.
    func outcome(
        onProgress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(Failure) -> Value {
        var followed: (outcome: HostChild.Outcome, record: FlightRecord?)
        do throws(ChildFailure) {
            followed = try follow(countsInstructions: true, isParallel: true, onProgress)
            // A thread that blocks all signals, such as one that starts another, cannot be counted.
            let isCounted = followed.outcome.end == .signal(SIGTRAP)
            // Where both sides were at work, only another one tells which of them it was.
            if isCounted || followed.outcome.end.text != nil && followed.record == nil {
                followed = try follow(countsInstructions: !isCounted, isParallel: isCounted, onProgress)
            }
        } catch {
            throw .refusal(["\(error)"])
        }
        return try Self.value(in: followed.outcome, followed.record, of: plan)
    }

    /// Lets a shadow hear what is recorded; returns when that has ended, with the reason.
    ///
    /// - Parameters:
    ///   - listening: which one, and from where on.
    ///   - onAccount: called with what it has led to, a few times a second.
    func listen(
        _ listening: TrialRequest.Listening, onAccount: (ShadowAccount) -> Void
    ) -> Failure {
        do throws(ChildFailure) {
            let request = { (recorder: Int32) in
                TrialRequest(source: source, flightRecorder: recorder, work: .shadow(listening))
            }
            let (outcome, record) = try follow(request) { event in
                guard case .answer(let value) = event, let account = try? value.decode(ShadowAccount.self)
                else { return }
                onAccount(account)
            }
            do throws(Failure) {
                _ = try Self.value(in: outcome, record, of: plan)
                return .refusal(["the child has ended by itself"])
            } catch { return error }
        } catch {
            return .refusal(["\(error)"])
        }
    }

    /// Lets a child try the candidate; returns how that ended, and what it had in hand.
    private func follow(
        countsInstructions: Bool, isParallel: Bool, _ onProgress: (UInt64, UInt64) -> Void
    ) throws(ChildFailure) -> (HostChild.Outcome, FlightRecord?) {
        let request = { (recorder: Int32) in
            TrialRequest(
                source: source, flightRecorder: recorder,
                work: .trial(
                    TrialRequest.Terms(
                        library: library, extent: extent, countsInstructions: countsInstructions,
                        isParallel: isParallel)))
        }
        return try follow(request) { event in
            if case .progress(let done, let total) = event { onProgress(done, total) }
        }
    }

    /// Lets a child carry out a request, made for the file of its flight recorder; returns how that ended, and what it had in hand.
    private func follow(
        _ request: (Int32) -> TrialRequest, _ onEvent: (HistoryEvent) -> Void
    ) throws(ChildFailure) -> (HostChild.Outcome, FlightRecord?) {
        let flightRecorder: Int32
        do throws(SystemFailure) { flightRecorder = try FlightRecorder.makeFile() } catch {
            throw ChildFailure(ofMemory: error)
        }
        defer { close(flightRecorder) }
        let outcome = try HostChild(
            HostChild.ownProgram, .replay, request: request(flightRecorder).bytes, images: [flightRecorder],
            access: access,
            tracesCalls: true
        ).follow(HostChild.Limits(time: limit, keepsLines: 2), stop: stop) { line in
            guard let event = HistoryEvent(line: line) else { return false }
            onEvent(event)
            return true
        }
        return (outcome, FlightRecorder(lookingAt: flightRecorder).lastActivity)
    }

    /// What the child may read: what the workers may together that run, and those that are to come.
    var access: FileAccess {
        var access = source.access(for: plan.instances + running, of: plan)
        if let library { access.read? += [SystemFile.parts(of: library).folder] }
        return access
    }

    /// Interprets the end and the output of a child.
    ///
    /// - Parameter record: what it had in hand; nil for nothing.
    static func value(
        in outcome: HostChild.Outcome, _ record: FlightRecord?, of plan: HostPlan
    ) throws(Failure) -> Value {
        if outcome.end == .stopped { throw .stopped }
        if let death = outcome.end.text {
            throw .death(
                [death + place(of: record, in: plan)] + Backtrace.lines(in: outcome.words, library: "lib"))
        }
        switch outcome.lines.suffix(2).compactMap({ HistoryEvent(line: $0[...]) }).first {
        case .answer(let value)?: return value
        case .failure(let lines)?: throw .refusal(lines)
        default: throw .refusal(["the child reported nothing"])
        }
    }

    /// Says at which action a child died, and whose code it ran.
    private static func place(of record: FlightRecord?, in plan: HostPlan) -> String {
        guard let record, let number = record.input?.number else { return "" }
        let type = record.type.map { ", \(Quotation.bare($0))" } ?? ""
        guard let id = record.instance else { return " at action \(number)\(type)" }
        let planned = plan.instances.first { $0.id == id }
        let isOld = record.digest != nil && planned?.digest?.hex != record.digest
        return " at action \(number)\(type) in \(id)" + (isOld ? " of the running generation" : "")
    }
}
