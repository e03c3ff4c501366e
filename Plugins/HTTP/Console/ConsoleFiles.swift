// SPDX-License-Identifier: Apache-2.0

/// The files of the console.
enum ConsoleFiles {
    /// All of them.
    static let all: [ConsoleFile] = []
}
