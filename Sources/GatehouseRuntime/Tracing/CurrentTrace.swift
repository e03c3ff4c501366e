// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Synchronization

/// The traces of this process's host, for whoever has an action in hand and no way to the host: a log, a plugin.
package enum CurrentTrace {
    /// A store and its tracer.
    private struct Place {
        /// The store.
        weak let store: HostStore?
        /// Its tracer.
        let tracer: ActionTracer
    }

    /// The store that is traced; nil for none.
    private static let place = Mutex<Place?>(nil)
    /// Whether there is one, so that a host without traces takes no lock.
    private static let isFollowed = Atomic(false)

    /// Whether the host of this process makes spans.
    package static var isOn: Bool { isFollowed.load(ordering: .relaxed) }

    /// Looks at a store and its tracer from here on; a tracer of nil ends that.
    static func follow(_ store: HostStore, _ tracer: ActionTracer?) {
        place.withLock { $0 = tracer.map { Place(store: store, tracer: $0) } }
        isFollowed.store(tracer != nil, ordering: .relaxed)
        // For plugins, which find it by a name of C.
        guard tracer != nil else { return gatehouse_set_trace_source(nil) }
        unsafe gatehouse_set_trace_source { text, room in
            guard let text = unsafe text, let header = CurrentTrace.context?.text.utf8, header.count < room
            else { return 0 }
            for (place, byte) in header.enumerated() { unsafe text[place] = CChar(bitPattern: byte) }
            unsafe text[header.count] = 0
            return header.count
        }
    }

    /// What was done with the spans so far; nil for a host that makes none.
    package static var counts: SpanExporter.Counts? { place.withLock { $0?.tracer.exporter.counts } }

    /// The span of the action that the calling thread has in hand; nil where it has none, or the span is not wanted.
    package static var context: TraceContext? {
        guard isOn, let place = place.withLock({ $0 }), let store = place.store else { return nil }
        return place.tracer.context(in: store)
    }

    /// Notes a report in the span of the action in hand, if it says that something went wrong there.
    static func note(_ report: HostReport) {
        guard isOn, report.isFailure, let place = place.withLock({ $0 }), let store = place.store,
            place.tracer.context(in: store) != nil
        else { return }
        place.tracer.note(report.description)
    }
}
