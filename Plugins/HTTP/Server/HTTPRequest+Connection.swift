// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD

/// `unsafe` because the library keeps the texts of a header in the memory of its connection.
extension HTTPRequest {
    /// The first line of a request, in the memory of its connection.
    typealias Line = (
        method: UnsafePointer<CChar>, path: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    )

    /// Copies the header of the request on a connection.
    init(on connection: OpaquePointer, _ line: Line) {
        let address = unsafe gatehouse_http_client(connection)
        self.init(
            method: unsafe String(cString: line.method), path: unsafe String(cString: line.path),
            client: unsafe ClientAddress.text(of: address),
            network: unsafe ClientAddress.network(of: address))
        unsafe withUnsafeMutablePointer(to: &self) { request in
            _ = unsafe MHD_get_connection_values(
                connection, .GET_ARGUMENT_KIND,
                { request, _, name, value in
                    guard let name = unsafe name, let request = unsafe request else { return .YES }
                    unsafe request.assumingMemoryBound(to: HTTPRequest.self).pointee.query.append(
                        (String(cString: name), value.map { unsafe String(cString: $0) } ?? ""))
                    return .YES
                }, request)
            _ = unsafe MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { request, _, name, nameLength, value, valueLength in
                    guard let request = unsafe request else { return .YES }
                    unsafe request.assumingMemoryBound(to: HTTPRequest.self).pointee.fields.add(
                        UnsafeRawBufferPointer(start: name, count: nameLength),
                        UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength))
                    return .YES
                }, request)
        }
        if unsafe !gatehouse_http_has_whole_lines(connection, line.method, line.version) {
            fields.object(
                to:
                    "expected a header whose lines end with CR and LF and begin with a name, without zero bytes; found another one"
            )
        }
        fields.finish()
    }
}
