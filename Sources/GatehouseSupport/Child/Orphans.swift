// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Processes that children of this one have left behind.
///
/// A process that has left its group, and whose parent has gone, becomes a child of the nearest ancestor that asks for such
/// ones. Who tries plugins asks, so that none of them outlives the trial.
package enum Orphans {
    /// The children that this process has started itself and that go on.
    private static let own = Mutex<Set<Int32>>([])

    /// Lets orphans below this process become its children, from here on and until it ends.
    package static func adopt() { _ = gatehouse_adopt_orphans() }

    /// Starts a child, which is no orphan.
    package static func starting<Failure: Error>(_ start: () throws(Failure) -> Int32) throws(Failure)
        -> Int32
    {
        try own.withLock { children throws(Failure) in
            let child = try start()
            children.insert(child)
            return child
        }
    }

    /// Takes note that a child has ended and was waited for.
    package static func ended(_ child: Int32) { own.withLock { _ = $0.remove(child) } }

    /// The processes below this one that it did not start itself, in no order.
    package static var all: [Int32] { own.withLock { below(getpid(), without: $0) } }

    /// Ends all of them, and those that they start meanwhile.
    package static func end() {
        // What starts processes faster than they end must not keep this one.
        for _ in 0..<1_000 {
            let isDone = own.withLock { children in
                let found = below(getpid(), without: children)
                // In a child that may not, the host does it by their group.
                for process in found where kill(process, SIGKILL) != 0 && errno == EPERM { return true }
                for process in found { waitpid(process, nil, 0) }
                return found.isEmpty
            }
            if isDone { return }
        }
    }

    /// The children of a process but for some, and all that they have started.
    private static func below(_ root: Int32, without known: Set<Int32>) -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for name in SystemFile.names(inFolder: "/proc") {
            guard let process = Int32(name), let parent = parent(of: process) else { continue }
            children[parent, default: []].append(process)
        }
        var found = (children[root] ?? []).filter { !known.contains($0) }
        var index = 0
        while index < found.count {
            found += children[found[index]] ?? []
            index += 1
        }
        return found
    }

    /// The process that started another one, or has taken it over; nil when it has gone or is about to.
    private static func parent(of process: Int32) -> Int32? {
        SystemFile.processStatus(process).dropFirst().first.flatMap { Int32($0) }
    }
}
