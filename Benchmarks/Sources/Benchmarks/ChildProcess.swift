// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs programs and says what they cost.
enum ChildProcess {
    /// The time that one run of a program cost.
    struct Cost {
        /// Seconds that passed outside, from start to end.
        var wall = Double.infinity
        /// Seconds on a processor, in the program and in the system for it.
        var processor = Double.infinity

        /// The lesser of each.
        func least(_ other: Cost) -> Cost {
            Cost(wall: min(wall, other.wall), processor: min(processor, other.processor))
        }
    }

    /// A program that could not be run, or failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end, without input and without what it says on standard error.
    ///
    /// - Parameters:
    ///   - command: path of the program and its arguments.
    ///   - output: the file that takes what it prints.
    /// - Throws: when it cannot be started or does not end with 0.
    @discardableResult
    static func run(_ command: [String], output: String = "/dev/null") throws(Failure) -> Cost {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var child = pid_t()
        let start = Clock.wall.now
        guard unsafe posix_spawn(&child, command[0], &actions, nil, &arguments, environ) == 0 else {
            throw Failure(description: "\(command[0]) cannot be started")
        }
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
        let wall = Double(Clock.wall.now - start) / 1e9
        guard status == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")) ended with status \(status)")
        }
        return Cost(wall: wall, processor: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// The path of a program that the environment's `PATH` finds, nil when there is none.
    static func find(_ name: String) -> String? {
        guard let path = unsafe getenv("PATH") else { return nil }
        return unsafe String(cString: path).split(separator: ":").map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
