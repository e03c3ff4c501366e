// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// The engines of one program for all instances that have it, because compiling one takes some 25 ms and a member of a cluster may
/// have thousands of such instances: as many engines as threads have needed at the same time.
///
/// Callable from any thread.
final class JQEnginePool: Sendable {
    /// A pool that lives as long as a user of it.
    private struct Known {
        /// The pool; nil once nobody uses it.
        weak var pool: JQEnginePool?
    }

    /// The pools of this process, by their programs.
    private static let known = Mutex<[String: Known]>([:])

    /// The program.
    private let program: String
    /// The engines that nobody uses at the moment.
    private let idle: Mutex<[JQEngine]>

    /// Creates the pool of a program that has compiled.
    private init(_ program: String, _ engine: JQEngine) {
        self.program = program
        idle = Mutex([engine])
    }

    /// Returns the pool of a program, which is compiled unless an instance has it already.
    ///
    /// - Throws: why it does not compile.
    static func of(_ program: String) throws(JQFailure) -> JQEnginePool {
        if let pool = known.withLock({ $0[program]?.pool }) { return pool }
        let engine = try JQEngine(program)
        return known.withLock { known in
            // Another thread may have been faster.
            if let pool = known[program]?.pool { return pool }
            known = known.filter { $0.value.pool != nil }
            let pool = JQEnginePool(program, engine)
            known[program] = Known(pool: pool)
            return pool
        }
    }

    /// Returns all outputs for an input, see `JQEngine.outputs(for:most:size:)`; compiles the program once more while all engines are
    /// in use.
    func outputs(for input: Value, most: Int, size: Int) throws(JQFailure) -> [Value] {
        let engine: JQEngine
        if let free = idle.withLock({ $0.popLast() }) {
            engine = free
        } else {
            engine = try JQEngine(program)
        }
        defer { idle.withLock { $0.append(engine) } }
        return try engine.outputs(for: input, most: most, size: size)
    }
}
