// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The child's side of `ChildReducer`: reduces actions, reports progress now and then, and leaves the state.
package enum ReductionChild {
    /// The number of actions between two looks at the clock.
    private static let stride: UInt64 = 1_024
    /// The longest silence toward the parent while all is well.
    private static let pause = Duration.milliseconds(200)

    /// Reads a request from standard input, carries it out, and ends the process.
    ///
    /// - Parameter descriptor: where the parent listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        guard let request = ReductionRequest(bytes: ChildRequest.bytes()) else { _exit(EX_DATAERR) }
        let writer = ChildEventWriter(descriptor: descriptor)
        writer.tell(event(for: request) { writer.tell($0.line) }.line)
        writer.tell(HistoryEvent.end.line)
        // Like the host: without the libraries' exit handlers.
        _exit(EXIT_SUCCESS)
    }

    /// Carries out a request, and returns the result.
    private static func event(
        for request: ReductionRequest, _ tell: @escaping (HistoryEvent) -> Void
    ) -> HistoryEvent {
        let clock = ContinuousClock()
        var next = clock.now
        do throws(PastFailure) {
            let scratch = try scratchFolder()
            defer { withExtendedLifetime(scratch) {} }
            let reducer = InProcessReducer(
                images: ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: request.isStrict)),
                dependencies: .past(
                    at: PastClock(), dataDirectory: scratch.path,
                    progress: RunProgress(in: FlightRecorder(in: request.flightRecorder))),
                fallen: request.fallen
            ) { sequence in
                guard sequence % stride == 0, clock.now >= next else { return }
                next = clock.now.advanced(by: pause)
                tell(.step(sequence: sequence, type: "", origin: ""))
            }
            let result = try reducer.reduce(request.reduction)
            let outcome = ReductionOutcome.reduced(
                result.state, count: result.count,
                findings: result.diagnostics.map { $0.sentences.joined(separator: "; ") })
            guard SystemFile.write(outcome.bytes, to: request.result) else {
                throw .child("the state cannot be handed back: \(SystemReason.last)")
            }
            return .answer(.null)
        } catch .unrunnable(let generation) {
            return event(handingBack: .unrunnable(generation.instances), in: request)
        } catch .fallen(let one) {
            return event(handingBack: .fallen(one), in: request)
        } catch {
            return .failure(error.sentences)
        }
    }

    /// Leaves why there is no state.
    private static func event(handingBack outcome: ReductionOutcome, in request: ReductionRequest)
        -> HistoryEvent
    {
        guard SystemFile.write(outcome.bytes, to: request.result) else {
            return .failure(["the reasons cannot be handed back: \(SystemReason.last)"])
        }
        return .answer(.null)
    }

    /// Creates a folder for data of instances.
    private static func scratchFolder() throws(PastFailure) -> ScratchFolder {
        do { return try ScratchFolder() } catch { throw .child("\(error)") }
    }
}

/// A request to a child to reduce actions, and where to leave the result.
struct ReductionRequest: ChildMessage {
    /// The actions, and the generation that reduces them.
    let reduction: PastReduction
    /// The instances that are suspended from an action on.
    let fallen: [FallenInstance]
    /// Whether to refuse files that their group may write to.
    let isStrict: Bool
    /// The file of the child's flight recorder.
    let flightRecorder: Int32
    /// The file in which the child leaves the state.
    let result: Int32
}

/// What a child leaves in the file for the result of its reduction.
enum ReductionOutcome: ChildMessage {
    /// The state after the last action, the number of actions, and what an operator should know.
    case reduced(SavedState, count: Int, findings: [String])
    /// The instance that has to be left out from some action on, because its reducer has ended its worker.
    case fallen(FallenInstance)
    /// The instances that cannot be made, each with the reasons.
    case unrunnable([String: [String]])
}
