// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK

/// Records the effects of one instance in the black box, and in the journal where there is one, which leaves out those in the
/// background.
///
/// The number of an effect is the low 48 bits of that in the journal above 16 bits of its place in the box; each is 0 for none. What
/// is above in the journal's is the same for a whole run, because it begins with the epoch above 32 bits.
final class InstanceEffectLog: EffectLog {
    /// The id of the instance.
    private let instance: String
    /// What the black box knows it by.
    private let number: UInt64
    /// Has the box, and keeps it.
    private let progress: RunProgress
    /// Who records for a journal; nil without one.
    private let recorder: ActionRecorder?
    /// Knows the action in hand.
    private let drain: Drain

    /// A log of effects that start in a drain.
    init(
        of instance: String, _ number: Int, in progress: RunProgress, _ recorder: ActionRecorder?,
        _ drain: Drain
    ) {
        self.instance = instance
        self.number = UInt64(number)
        self.progress = progress
        self.recorder = recorder
        self.drain = drain
    }

    func begin(_ kind: Activity.Kind) -> UInt64 {
        let sequence = drain.mark & ~Drain.effectMark
        let place = progress.beginEffect(of: number, after: sequence)
        guard kind != .background, let recorder else { return place }
        return recorder.begin(effectOf: instance, after: sequence) << Self.placeBits | place
    }

    func beginWork(_ number: UInt64) { progress.beginWork(ofEffectAt: number & Self.places) }

    func continueInBackground(_ number: UInt64) { endInJournal(number) }

    func end(_ number: UInt64, _ kind: Activity.Kind) {
        progress.endEffect(at: number & Self.places)
        if kind != .background { endInJournal(number) }
    }

    /// Lets the journal forget an effect.
    private func endInJournal(_ number: UInt64) {
        let low = number >> Self.placeBits
        guard low != 0, let recorder else { return }
        let high = recorder.epoch << 32 & ~(UInt64.max >> Self.placeBits)
        recorder.end(effect: high | low)
    }

    /// So many bits has the place of an effect in the box.
    private static let placeBits: UInt64 = 16
    /// All of them.
    private static let places: UInt64 = (1 << placeBits) - 1
}

extension InstanceEffectLog: ForeignTurns {
    func during(_ turn: ForeignTurn, _ body: () -> Void) {
        gatehouse_watch_thread()
        progress.take()
        switch turn {
        case .cancelled: progress.during(.cancel, of: number << 8, body)
        case .perform(let effect):
            progress.show(effectAt: (effect ?? 0) & Self.places)
            progress.during(.perform, of: number << 8, body)
        }
    }
}
