// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The child's side of `ChildWorker`: reduces actions, reports progress now and then, and leaves the state.
package enum ReductionWorker {
    /// The number of actions between two looks at the clock.
    private static let stride: UInt64 = 1_024
    /// The longest silence toward the parent while all is well.
    private static let pause = Duration.milliseconds(200)

    /// Reads a request from standard input, carries it out, and ends the process.
    ///
    /// - Parameters:
    ///   - descriptor: where the parent listens.
    ///   - host: the process that listens.
    package static func perform(tellingTo descriptor: Int32, of host: Int32) -> Never {
        guard let request = ReductionRequest(bytes: ChildRequest.bytes(of: host)) else { _exit(EX_DATAERR) }
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
            let worker = InProcessWorker(
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
            let result = try worker.reduce(request.reduction)
            guard SystemFile.write(Array(result.state.value.json().utf8), to: request.result) else {
                throw .child("the state cannot be handed back: \(SystemReason.last)")
            }
            return .answer([
                "count": Value(result.count),
                "findings": .array(result.diagnostics.map { .string($0.sentences.joined(separator: "; ")) }),
            ])
        } catch .unrunnable(let generation) {
            return .answer([
                "unrunnable": .object(
                    Members(generation.instances.map { ($0.key, .array($0.value.map(Value.string))) }))
            ])
        } catch {
            return .failure(error.sentences)
        }
    }

    /// Creates a folder for data of instances.
    private static func scratchFolder() throws(PastFailure) -> ScratchFolder {
        do throws(ChildFailure) {
            return try ScratchFolder()
        } catch {
            throw .child("\(error)")
        }
    }
}
