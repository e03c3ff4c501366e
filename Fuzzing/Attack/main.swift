// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs the host on damaged libraries beside a healthy plugin, and tells what became of it.
///
/// Whatever the damage is, the host must not die by a signal or hang, the healthy plugin's result must be right, and a library
/// that takes no part must be named with a reason. Of damage to code and data, and to the addresses that data is made of, deaths are
/// only counted.

guard CommandLine.arguments.count == 6, let count = Int(CommandLine.arguments[4]),
    let seed = UInt64(CommandLine.arguments[5])
else {
    print("usage: attack HOST BASES SCENE COUNT SEED")
    exit(64)
}
let (host, bases, scene) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

/// What a run of the host has come to.
enum Outcome: Hashable {
    /// The damaged library took part, or was refused with a reason.
    case sound
    /// The host was ended by a signal; its number.
    case died(Int32)
    /// The host had not ended after 20 seconds.
    case hung
    /// Another result or exit code than without the library.
    case wrong
    /// The library took no part, and nothing was said about it.
    case silent
}

/// The bytes of a file.
func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = Glibc.read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return bytes
}

/// Makes or overwrites a file.
func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    var written = 0
    while written < bytes.count {
        let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { fatalError("cannot write \(path)") }
        written += count
    }
    close(file)
}

/// Runs the host once, with the library in place.
func run(_ bytes: [UInt8]) -> Outcome {
    write(bytes, to: scene + "/plugins/libMutant.so")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, scene + "/input", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, scene + "/output", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_addopen(&actions, 2, scene + "/errors", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    let words = ["timeout", "--signal=KILL", "20", host, "run", "--plugins", scene + "/plugins"]
    var vector: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { vector.forEach { free($0) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, "timeout", &actions, nil, &vector, environ) == 0 else {
        fatalError("no timeout")
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    // timeout(1) dies by the signal that its child died by, which after 20 seconds is the one it has sent.
    let signal = status & 0x7f
    if signal != 0 { return signal == SIGKILL ? .hung : .died(signal) }
    let code = (status >> 8) & 0xff
    let expected = "\"counter\": {\n    \"count\": 1\n  }"
    let output = String(decoding: read(scene + "/output"), as: UTF8.self)
    guard code == 0, output.contains(expected) else { return .wrong }
    let errors = String(decoding: read(scene + "/errors"), as: UTF8.self)
    let lines = errors.split(separator: "\n")
    guard let line = lines.firstIndex(where: { $0.contains("libMutant.so: refused") }) else {
        // It took part: the list of those that do tells.
        return errors.contains("libMutant.so") || isListed() ? .sound : .silent
    }
    let reason = lines[line].hasSuffix("refused:") ? lines.dropFirst(line + 1).first ?? "" : lines[line]
    return reason.count > 20 ? .sound : .silent
}

/// Whether the host says that the library takes part.
func isListed() -> Bool {
    system("\(host) list --plugins \(scene)/plugins >\(scene)/listed 2>&1")
    return String(decoding: read(scene + "/listed"), as: UTF8.self).contains("libMutant.so")
}

/// A library to be damaged.
struct Base {
    /// Its file's name.
    let name: String
    /// Its bytes.
    let bytes: [UInt8]

    /// A little-endian number.
    func number(_ offset: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
    }

    /// The program headers' offsets.
    var segments: [Int] { (0..<number(56, 2)).map { 64 + 56 * $0 } }

    /// The stretches that loader and host go by: headers, notes, dynamic section, tables.
    var tables: [Range<Int>] {
        [0..<64, 64..<64 + 56 * number(56, 2), number(40, 8)..<number(40, 8) + 64 * number(60, 2)]
            + sections { type, flags in flags & 2 != 0 && type != 1 && type != 8 && type != 0 }
    }

    /// Whether other bytes differ only in addresses in the library that the loader is to write into its data.
    ///
    /// Such an address is a part of what the data says, wherever it is kept; with packed relocations it lies in the data itself.
    func hasOtherAddressesOnly(than other: [UInt8]) -> Bool {
        let relocations = sections { type, flags in flags & 2 != 0 && type == 4 }
        return zip(bytes, other).enumerated().allSatisfy { offset, pair in
            if pair.0 == pair.1 { return true }
            guard let table = relocations.first(where: { $0.contains(offset) }) else { return false }
            let entry = offset - (offset - table.lowerBound) % 24
            let isAddend = offset - entry >= 16
            return isAddend && number(entry + 8, 8) == 8
        }
    }

    /// The stretches of code and data.
    var contents: [Range<Int>] { sections { type, flags in flags & 2 != 0 && type == 1 } }

    /// The stretches of sections that are wanted.
    private func sections(_ isWanted: (_ type: Int, _ flags: Int) -> Bool) -> [Range<Int>] {
        (0..<number(60, 2)).compactMap { index in
            let header = number(40, 8) + 64 * index
            guard isWanted(number(header + 4, 4), number(header + 8, 8)), number(header + 32, 8) > 0 else {
                return nil
            }
            return number(header + 24, 8)..<number(header + 24, 8) + number(header + 32, 8)
        }
    }

    /// The offset of the value of an entry of the dynamic section; nil when there is none.
    func dynamic(_ tag: Int) -> Int? {
        guard let header = segments.first(where: { number($0, 4) == 2 }) else { return nil }
        let start = number(header + 8, 8)
        return stride(from: start, to: start + number(header + 32, 8), by: 16).first { number($0, 8) == tag }
            .map { $0 + 8 }
    }

    /// Damage that has once ended the host.
    var known: [(String, [UInt8])] {
        var all: [(String, [UInt8])] = []
        func change(_ name: String, _ offset: Int?, _ value: UInt64, _ size: Int = 8) {
            guard let offset else { return }
            var bytes = bytes
            for byte in 0..<size { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (byte * 8)) }
            all.append((name, bytes))
        }
        func segment(_ type: Int) -> Int? { segments.first { number($0, 4) == type } }
        change("thread-local storage of 2^62 bytes", segment(7).map { $0 + 40 }, 1 << 62)
        change("a read-only part of 2 MB", segment(0x6474_e552).map { $0 + 40 }, 2 << 20)
        change("program headers far away", segment(6).map { $0 + 16 }, 1 << 40)
        change("a note of 2^63 bytes", segment(4).map { $0 + 32 }, 1 << 63)
        change("no size of the functions' relocations", dynamic(2), 0)
        let symbols = sections { type, _ in type == 11 }.first
        change("a symbol that nobody may see", symbols.map { $0.upperBound - 24 + 5 }, 0x7f, 1)
        return all
    }

    /// The bytes with some damage in one of the stretches.
    func damaged(in stretches: [Range<Int>], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let stretch = stretches[Int.random(in: stretches.indices, using: &random)].clamped(to: bytes.indices)
        guard stretch.count >= 8 else { return bytes }
        func set(_ value: UInt64, _ size: Int, _ align: Int) {
            let offset =
                stretch.lowerBound + Int.random(in: 0...(stretch.count - size), using: &random) / align
                * align
            for byte in 0..<size { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (byte * 8)) }
        }
        let extremes: [UInt64] = [
            0, 1, .max, .max - 1, 1 << 63, 1 << 62, 1 << 32, (1 << 32) - 1, 0x1000, 0x7fff_ffff, 1 << 47, 8,
        ]
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: stretch, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        case 1: set(extremes[Int.random(in: extremes.indices, using: &random)], 8, 8)
        case 2: set(extremes[Int.random(in: extremes.indices, using: &random)], 4, 4)
        case 3:
            set(.random(in: .min ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random), 8, 8)
        default:
            let start = Int.random(in: stretch, using: &random)
            for offset in start..<min(stretch.upperBound, start + Int.random(in: 1...64, using: &random)) {
                bytes[offset] = .random(in: .min ... .max, using: &random)
            }
        }
        return bytes
    }
}

let all = ["c", "lld", "swift", "stripped", "debug"].map { Base(name: $0, bytes: read("\(bases)/\($0).so")) }
for base in all where base.bytes.isEmpty {
    print("attack: there is no \(bases)/\(base.name).so")
    exit(70)
}
for base in all {
    guard run(base.bytes) == .sound else {
        print("attack: \(base.name) ends the host, or is not told of, as it is")
        exit(70)
    }
}

/// How often each outcome came, and the first damage that led to it.
var findings: [Outcome: (count: Int, first: [String])] = [:]
/// Keeps what a run has come to.
func note(_ outcome: Outcome, _ words: String) {
    guard outcome != .sound else { return }
    var found = findings[outcome] ?? (0, [])
    found.count += 1
    if found.first.count < 40 { found.first.append(words) }
    findings[outcome] = found
}

var named = 0
for base in all {
    for (words, bytes) in base.known {
        named += 1
        note(run(bytes), "\(base.name): \(words)")
    }
}
// Ends of the host by other addresses in the library, and those by other code and data.
var (strays, deaths) = (0, 0)
for index in 0..<count {
    var random = SeededGenerator(seed: seed &+ UInt64(index))
    let base = all[Int((seed &+ UInt64(index)) % UInt64(all.count))]
    let damaged = base.damaged(in: base.tables, &random)
    let outcome = run(damaged)
    if outcome != .sound, outcome != .silent, base.hasOtherAddressesOnly(than: damaged) {
        strays += 1
    } else {
        note(outcome, "\(base.name): seed \(seed &+ UInt64(index)), count 1")
    }
}
for index in 0..<count / 3 {
    var random = SeededGenerator(seed: ~seed &- UInt64(index))
    let base = all[index % all.count]
    if run(base.damaged(in: base.contents, &random)) != .sound { deaths += 1 }
}
print(
    "attack: seed \(seed): \(named) named and \(count) random damages of headers and tables, \(strays) of which made an address in the library another and ended the host or changed its result; so did \(deaths) of \(count / 3) of code and data"
)
for (outcome, found) in findings {
    print("attack: \(outcome): \(found.count) times")
    for words in found.first { print("  \(words)") }
}
exit(findings.isEmpty ? 0 : 1)
