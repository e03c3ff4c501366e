// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite struct SigningLedgerTests {
    @Test func `a ledger comes back from its file as it was written`() throws {
        let folder = try TemporaryFolder()
        let file = SigningLedgerFile(beside: folder.path)
        #expect(try file.read() == SigningLedger())
        let id = try #require(MinisignKey.ID("00000000000000ff"))
        var ledger = SigningLedger()
        ledger.note(Endorsement.Signed(name: "a", key: id, serial: 7, text: ""), of: "till")
        ledger.note(Endorsement.Signed(name: "a", key: id, serial: 5, text: ""), of: "till")
        let list = Revocations(
            serial: 3, reasons: [.key(id): "stolen", .digest(String(repeating: "a", count: 64)): "leaks"])
        #expect(ledger.note(list, of: id) == list)
        #expect(ledger.note(Revocations(serial: 2, reasons: [:]), of: id) == list)
        // The same number again, which its signer has given twice, says what the last one says.
        let shorter = Revocations(serial: 3, reasons: [:])
        #expect(ledger.note(shorter, of: id) == shorter)
        #expect(ledger.note(list, of: id) == list)
        try file.write(ledger)
        #expect(try file.read() == ledger)
        #expect(ledger.serial(of: id, for: "till") == 7)
        #expect(ledger.serial(of: id, for: "other") == nil)
        #expect(
            ledger.value.json()
                == #"{"keys":{"00000000000000FF":{"serials":{"till":7},"revocations":{"serial":3,"list":{"revoked":[{"key":"00000000000000FF","reason":"stolen"},{"sha256":"\#(String(repeating: "a", count: 64))","reason":"leaks"}]}}}}}"#
        )
    }

    @Test(arguments: [
        "1", "{}", #"{"keys":{"x":{}}}"#, #"{"keys":{"00000000000000FF":{}}}"#,
        #"{"keys":{"00000000000000FF":{"serials":{"a":"1"}}}}"#,
        #"{"keys":{"00000000000000FF":{"serials":{},"revocations":{"serial":1}}}}"#,
    ])
    func `what no host has written is no ledger`(text: String) throws {
        #expect(SigningLedger(try JSONText.parse(text)) == nil)
    }
}
