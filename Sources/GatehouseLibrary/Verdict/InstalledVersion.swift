// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
internal import GatehouseValue
private import Glibc

/// A host of another version in a folder of its own, as far as its description says: a program whose children run the plugins that were
/// built for it.
package struct InstalledVersion: Equatable, Sendable {
    /// The name of its folder, which messages use.
    package let name: String
    /// The absolute path of its folder.
    package let folder: String
    /// What its plugins have in common with it.
    package let identity: BuildIdentity
    /// The number of the protocol that it speaks with its host.
    let protocolNumber: Int
    /// The SHA-256 of its files, in hexadecimal, by their names.
    let digests: [String: String]

    /// The path of its program.
    package var program: String { folder + "/" + Self.programName }

    /// The file in each folder that describes it: what `gatehouse version --json` prints of its program.
    static let descriptionName = "version.json"
    /// The name of the program.
    static let programName = "gatehouse"
    /// The files whose bytes its description names.
    package static let describedFiles = [programName, Verdict.sdkLibrary]
    /// The maximum size of a description in bytes.
    private static let longestDescription = 1 << 16

    /// Reads the description in a folder, and judges all files in it; runs none of them.
    ///
    /// - Throws: why the version cannot be used, as the end of a sentence about it.
    init(in folder: String, named name: String, trust: FileTrust) throws(UnusableVersion) {
        let path = folder + "/" + Self.descriptionName
        let value: Value
        do {
            try Self.judge(folder, trust)
            _ = try trust.judge(folder + "/" + Self.programName)
            let bytes = try SystemFile.bytes(of: path, limit: Self.longestDescription)
            value = try JSONText.parse(bytes)
        } catch let error as LibraryFileError {
            throw UnusableVersion(name, error.description)
        } catch let error as SystemFile.ReadingError {
            throw UnusableVersion(name, "\(path) cannot be read: \(Self.text(of: error))")
        } catch {
            throw UnusableVersion(name, Self.expectation(at: path, found: "\(error)"))
        }
        func text(_ key: String) throws(UnusableVersion) -> String {
            guard let text = value[key]?.stringValue else {
                throw UnusableVersion(name, Self.expectation(at: path, found: "no text as \"\(key)\""))
            }
            return text
        }
        guard let abi = value["abi"]?.wholeNumber.flatMap({ UInt32(exactly: $0) }),
            let number = value["protocol"]?.wholeNumber
        else {
            throw UnusableVersion(
                name, Self.expectation(at: path, found: "no numbers as \"abi\" and \"protocol\""))
        }
        let word = try text("configuration")
        guard let configuration = BuildConfiguration(rawValue: word) else {
            throw UnusableVersion(name, Self.expectation(at: path, found: "the configuration \"\(word)\""))
        }
        identity = BuildIdentity(
            abi: abi, sdkVersion: try text("gatehouse"), sdkFingerprint: try text("sdk"),
            sdkSources: try text("sources"), seesBodies: false, compiler: try text("compiler"),
            triple: try text("target"), configuration: configuration, toolsVersion: "")
        protocolNumber = number
        digests = (value["files"]?.objectValue ?? [:]).reduce(into: [:]) { digests, member in
            digests[member.key] = member.value.stringValue
        }
        (self.name, self.folder) = (name, folder)
    }

    /// Why its children cannot work for this host, as the end of a sentence about it; nil where they can. Reads its files.
    var obstacle: String? {
        guard protocolNumber == ChildProtocol.number else {
            return
                "speaks protocol \(protocolNumber) with its host, and this host speaks \(ChildProtocol.number); install a build of it that speaks \(ChildProtocol.number)"
        }
        for name in Self.describedFiles {
            guard let found = try? SystemFile.digest(ofFile: folder + "/" + name).hex else {
                return "has no \(name) that can be read; install it again"
            }
            guard found == digests[name] else {
                return
                    "has another \(name) than its \(Self.descriptionName) describes; write that again with gatehouse version --json"
            }
        }
        return nil
    }

    /// Judges a folder and all files below it by owner and mode: the program of a version loads libraries from there.
    private static func judge(_ folder: String, _ trust: FileTrust) throws(LibraryFileError) {
        _ = try PathWalk(folder, trust: trust)
        for name in SystemFile.names(inFolder: folder).sorted() {
            let path = folder + "/" + name
            if SystemFile.isFolder(path) { try judge(path, trust) } else { _ = try trust.judge(path) }
        }
    }

    /// What a description is, and what was found instead.
    private static func expectation(at path: String, found: String) -> String {
        "\(path): expected what gatehouse version --json prints, found \(found); write it again with the program beside it"
    }

    /// The reason why a description cannot be read, in words.
    private static func text(of error: SystemFile.ReadingError) -> String {
        switch error {
        case .system(let code): SystemReason.text(of: code)
        case .tooLarge(let limit): "it has more than \(limit) bytes"
        }
    }
}

/// Why an installed version is left out.
struct UnusableVersion: Error, Equatable, Sendable {
    /// The sentence, without a full stop.
    let sentence: String

    /// A version and what is wrong with it.
    init(_ name: String, _ reason: String) {
        sentence = "the installed version \(Quotation.bare(name)) is left out: \(reason)"
    }
}

extension Value {
    /// The number, if it is a whole one; nil for anything else.
    fileprivate var wholeNumber: Int? {
        if case .integer(let number) = self { Int(exactly: number) } else { nil }
    }
}
