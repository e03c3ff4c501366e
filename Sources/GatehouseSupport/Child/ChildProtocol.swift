// SPDX-License-Identifier: Apache-2.0

/// The agreement between a host and the programs that it starts as its children, which may be those of an older version: the words of
/// their command line, the memory that they share, and every message between them.
///
/// The number comes first on both sides, in a form that never changes. A host begins the command line of a child with `gatehouse child`,
/// the number, and the descriptor through which the child tells what it does; the child first tells `protocol` and its own number there,
/// as one line. What follows belongs to the number. ABI.md says what a new number is for, and a test has its bytes.
package enum ChildProtocol {
    /// The number that this program speaks, as a host and as a child.
    package static let number = 1

    /// What stands before the number in the first line.
    private static let word = "protocol "

    /// The first line of a child, without its end.
    package static let greeting = word + "\(number)"

    /// The first words of the command line of a child.
    ///
    /// - Parameter descriptor: where the child tells what it does.
    static func words(tellingTo descriptor: Int32) -> [String] {
        ["gatehouse", "child", "\(number)", "\(descriptor)"]
    }

    /// How many words those are.
    private static let wordCount = 4

    /// The part of a command line that every version of the program understands.
    package struct Opening {
        /// The number that the host speaks.
        package let number: Int
        /// Where the host listens.
        package let descriptor: Int32
        /// The words that belong to the number.
        package let rest: ArraySlice<String>

        /// Parses a command line that begins with the name of the program; nil for one that no host gives.
        package init?(_ arguments: [String]) {
            guard arguments.count >= wordCount, arguments[1] == "child", let number = Int(arguments[2]),
                let descriptor = Int32(arguments[3]), descriptor >= 0
            else { return nil }
            (self.number, self.descriptor) = (number, descriptor)
            rest = arguments[wordCount...]
        }
    }

    /// The number in the first line of a child; nil for another line.
    static func number(in line: Substring) -> Int? {
        line.hasPrefix(word) ? Int(line.dropFirst(word.count)) : nil
    }

    /// Why a host and a child with different numbers cannot work together, as the end of "it …".
    ///
    /// - Parameter child: the number of the child; nil where its first line names none.
    static func difference(from child: Int?) -> String {
        let found = child.map { "protocol \($0)" } ?? "none that it names"
        return
            "was not used: expected a program that speaks protocol \(number) with its host, found \(found); use the program and the host of versions that share a protocol"
    }
}
