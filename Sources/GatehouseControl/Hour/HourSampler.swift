// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Takes a sample of a host every ten seconds, for as long as it exists, and answers with those of the last hour.
@EventLoop
final class HourSampler {
    /// The time between two samples.
    private static let pause = Duration.seconds(10)

    /// The host.
    private let target: RunningHost
    /// The samples.
    private var hour = Hour()
    /// Takes the first sample; nil where nothing is sampled.
    private var first: Task<Void, Never>?

    /// Creates a sampler that has not begun.
    nonisolated init(_ target: RunningHost) { self.target = target }

    /// Begins to take samples; called once.
    ///
    /// A sample is a turn in the drain, on a thread that then also processes what arrives meanwhile. At the start of a run nobody
    /// pays for that who cannot ask for the hour.
    ///
    /// - Parameter atOnce: whether to take the first sample now, not after the pause.
    func begin(atOnce: Bool) {
        if atOnce { first = Task { await take() } }
        wait()
    }

    /// Takes the next sample after the pause.
    private func wait() {
        _ = LoopTimer(after: Self.pause) { [weak self] in
            guard let self else { return }
            Task { await self.take() }
            self.wait()
        }
    }

    /// Takes a sample and keeps it. Where a plugin keeps the host busy there is none, and the next one covers the time.
    private func take() async {
        if let sample = try? await target.sample() { hour.take(sample) }
    }

    /// Returns what the newest minutes cost, up to this moment.
    func costs(ofMinutes minutes: Int) async -> Value { await upToDate().costs(ofMinutes: minutes) }

    /// Returns the last hour with a sample of this moment, which is not kept.
    private func upToDate() async -> Hour {
        await first?.value
        var shown = hour
        if let latest = try? await target.sample() { shown.take(latest) }
        return shown
    }

    /// Returns the last hour with a sample of this moment, which is not kept.
    ///
    /// - Parameter chosen: the ids of the instances to report; nil for all.
    func answer(of chosen: [String]?) async throws(ControlError) -> Value {
        let shown = await upToDate()
        let known = shown.ids
        if let unknown = chosen?.first(where: { !known.contains($0) }) {
            throw .parameter(
                "instances", expected: "ids of instances of the last hour", found: Quotation.of(unknown),
                advice: ControlError.advice(for: unknown, among: known)
                    ?? (known.isEmpty ? "there are none" : "they are \(known.joined(separator: ", "))"))
        }
        return shown.value(of: chosen)
    }
}
