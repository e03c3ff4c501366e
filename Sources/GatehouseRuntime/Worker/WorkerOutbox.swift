// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseSDK
internal import GatehouseSupport

/// What a worker has to tell its host, as frames in the order in which it happened; all that its instance emits goes there.
///
/// `@unchecked Sendable`: touched in the drain of the worker's store only.
package final class WorkerOutbox: OutputRoute, @unchecked Sendable {
    /// The frames.
    private var frames = FrameWriter()
    /// The source that was written last.
    private var source: ActionSource?
    /// Called, in the drain, when there is something after there was nothing.
    private let onArrival: @Sendable () -> Void
    /// Takes what has no wire form.
    private let report: @Sendable (HostReport) -> Void
    /// The id of the instance.
    private let instance: String
    /// Knows the number of the last action.
    package var recorder: ActionRecorder?
    /// Knows whether anything leads to an output; nil before the instance is there.
    weak var drain: Drain?

    /// An outbox with nothing in it.
    package init(
        of instance: String, onArrival: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (HostReport) -> Void
    ) {
        self.instance = instance
        self.onArrival = onArrival
        self.report = report
    }

    /// Whether there is nothing in it.
    var isEmpty: Bool { frames.bytes.isEmpty }

    package func take(_ output: DispatchedAction<AnyAction>) -> Bool {
        let wire: [UInt8]
        do throws(CodingFailure) {
            var bytes: [UInt8] = []
            try output.action.writeWireForm(to: &bytes)
            wire = bytes
        } catch {
            report(.unwritable(instance: instance, failure: error))
            return true
        }
        let wasEmpty = isEmpty
        if source?.hasSameOrigin(as: output.dispatcher) != true {
            source = output.dispatcher
            tell(.source) { $0.put(output.dispatcher) }
        }
        let cause = output.dispatcher.cause
        tell(.output) {
            $0.put(cause.number(notAbove: recorder?.sequence ?? 0) ?? 0)
            // What follows from nothing is no effect's: it is told with the number 0, too.
            $0.put(cause.kind == .effect && drain?.mark != 0)
            $0.put(UInt64(output.dispatcher.line))
            $0.put(wire)
        }
        if wasEmpty { onArrival() }
        return true
    }

    /// Tells whether a state that was given is taken over: as which one, or why not.
    package func tell(restored state: Result<Value, CodingFailure>) {
        tell(.restored) {
            switch state {
            case .success(let value):
                $0.put(1 as UInt8)
                $0.put(value)
            case .failure(let failure):
                $0.put(0 as UInt8)
                $0.put(failure)
            }
        }
    }

    /// Tells the state at the order to copy it, by the number of that.
    package func tell(copy number: UInt64, _ state: Value) {
        tell(.copy) {
            $0.put(number)
            $0.put(state)
        }
    }

    /// Adds a message.
    func tell(_ news: WorkerNews, _ body: (inout FrameWriter) -> Void = { _ in }) {
        frames.begin(news.rawValue)
        body(&frames)
        frames.end()
    }

    /// Takes all frames.
    package func takeFrames() -> [UInt8] {
        defer { frames = FrameWriter() }
        return frames.bytes
    }
}
