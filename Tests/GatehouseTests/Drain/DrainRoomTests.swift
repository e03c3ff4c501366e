// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// Where those wait who find a queue full.
@Suite(.timeLimit(.minutes(5)))
struct DrainRoomTests {
    private let room = DrainRoom()

    /// Sleeps as a thread does that is no task's.
    private func sleep(while isFull: () -> Bool) { room.wait(while: isFull) }

    @Test func `whoever finds room by now does not wait`() async {
        sleep { false }
        await room.wait { false }
    }

    @Test func `threads and tasks that wait are let go on together`() async {
        let (entered, ended) = (Signal(), Signal())
        let room = room
        // They are asked whether it is full when whoever makes room can see them.
        for _ in 0..<2 {
            _ = Threads.start {
                room.wait {
                    entered.fire()
                    return true
                }
                ended.fire()
            }
        }
        let task = Task {
            await room.wait {
                entered.fire()
                return true
            }
        }
        for _ in 0..<3 { await entered.wait() }
        room.wake()
        for _ in 0..<2 { await ended.wait() }
        await task.value
    }
}
