// SPDX-License-Identifier: Apache-2.0

/// Commands in Redis's protocol, one after the other in one array of bytes.
struct RedisCommands {
    /// The encoded commands.
    private(set) var bytes: [UInt8] = []

    /// Removes all commands, keeping the capacity.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Reserves capacity for further bytes.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Begins a command with a number of words, which are added next.
    mutating func begin(words: Int) { header("*", words) }

    /// Adds a word.
    mutating func add(_ word: String) {
        header("$", word.utf8.count)
        bytes.append(contentsOf: word.utf8)
        end()
    }

    /// Adds a word of arbitrary bytes.
    mutating func add(_ word: [UInt8]) { add(word[...]) }

    /// Adds a word of arbitrary bytes.
    mutating func add(_ word: ArraySlice<UInt8>) {
        header("$", word.count)
        bytes.append(contentsOf: word)
        end()
    }

    /// Adds a number in digits.
    mutating func add(_ number: Int) { add(String(number)) }

    /// Adds an offset.
    mutating func add(_ offset: ClusterOffset) { add(offset.description) }

    /// Begins a word with a number of bytes, which are appended next.
    mutating func begin(bytes count: Int) { header("$", count) }

    /// Appends bytes to a word that was begun.
    mutating func append(_ part: ArraySlice<UInt8>) { bytes.append(contentsOf: part) }

    /// Appends a header with a size.
    private mutating func header(_ kind: Unicode.Scalar, _ size: Int) {
        bytes.append(UInt8(ascii: kind))
        if size < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(size))
        } else {
            bytes.append(contentsOf: String(size).utf8)
        }
        end()
    }

    /// Ends a line, or a word that was begun.
    mutating func end() {
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }
}
