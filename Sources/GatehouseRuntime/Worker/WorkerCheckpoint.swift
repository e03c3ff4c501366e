// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseSDK
package import GatehouseSupport

/// How a worker's instance stands after the orders that it has carried out, read at one moment in its drain.
///
/// `TakenCheckpoint` is what the host makes of it.
package struct WorkerCheckpoint {
    /// What it has emitted, and what else was told, since the checkpoint before; as frames.
    package let news: [UInt8]
    /// The state; nil where it is as before.
    let state: SliceCopy?
    /// Effects that have begun or ended.
    let changes: WorkerLog.Changes
    /// The effects that run: those that the run waits for, those that finish, and others.
    let effects: (foreground: Int, finishing: Int, background: Int)
    /// What the instance has counted; nil where that is as before.
    let account: WorkerAccount?

    /// Writes it as one frame.
    ///
    /// - Parameter orders: how many orders are carried out.
    /// - Throws: that the state cannot be written.
    package func write(after orders: UInt64, to frame: inout FrameWriter) throws(CodingFailure) {
        frame.begin(WorkerNews.checkpoint.rawValue)
        frame.put(orders)
        frame.put(state != nil)
        if let state { frame.put(try state()) }
        for count in [effects.foreground, effects.finishing, effects.background] {
            frame.put(UInt32(clamping: count))
        }
        frame.put(account != nil)
        account?.write(to: &frame)
        frame.put(UInt32(changes.begun.count))
        for (_, effect) in changes.begun.sorted(by: { $0.key < $1.key }) {
            frame.put(effect.number)
            frame.put(effect.sequence)
            frame.put(effect.value)
        }
        frame.put(UInt32(changes.ended.count))
        for number in changes.ended { frame.put(number) }
        frame.end()
    }
}

extension WorkerCheckpoint {
    /// A checkpoint without an account.
    package init(
        news: [UInt8], state: SliceCopy?, changes: WorkerLog.Changes,
        effects: (foreground: Int, finishing: Int, background: Int)
    ) {
        self.init(news: news, state: state, changes: changes, effects: effects, account: nil)
    }
}
