// SPDX-License-Identifier: Apache-2.0

internal import CCurl
import GatehouseSDK

/// One request on its way; used only by the thread of `CurlTransfers`.
///
/// Where only the host can connect, libcurl opens no socket: a transfer for which it has no connection ends before anything is
/// sent, and is repeated when the host has made one.
///
/// Unsafe because libcurl keeps pointers into it from `init` to `deinit`: to the headers, to the addresses, to the buffer for
/// errors, and to itself.
@safe final class CurlTransfer {
    /// The easy handle of libcurl.
    let handle: UnsafeMutableRawPointer
    /// The headers, a list of libcurl's.
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The addresses of hosts that libcurl is not to look up, a list of libcurl's.
    private var addresses: UnsafeMutablePointer<curl_slist>?
    /// The buffer for libcurl's error messages.
    private let errors: UnsafeMutablePointer<CChar>
    /// What is sent.
    let request: HTTPRequest
    /// The instance that sends it; its connections outlive the handle.
    let client: CurlClient
    /// When it began.
    private let start = ContinuousClock.now
    /// A connection that the host has made for it.
    private var connection: NetworkConnection?
    /// Whether libcurl has asked for a connection that was not there.
    private var lacksConnection = false
    /// The body so far.
    private var body: [UInt8] = []
    /// Whether there was more.
    private var isCut = false
    /// Whether the request has gone out.
    private var isSent = false
    /// Whether libcurl has tried to send it again.
    private var isRepeated = false
    /// Takes the result, once.
    let complete: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void

    /// Prepares a request; nil if there is no memory.
    ///
    /// - Parameter client: the instance that sends it.
    init?(
        _ request: HTTPRequest, of client: CurlClient,
        complete: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) {
        guard let handle = unsafe curl_easy_init() else { return nil }
        unsafe self.handle = unsafe handle
        unsafe errors = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errors.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        self.request = request
        self.client = client
        self.complete = complete
        for (name, value) in request.headers {
            // libcurl sends an empty header if a semicolon ends its name.
            unsafe headers = curl_slist_append(headers, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        // Without this libcurl waits for permission to send a large body, which few services give.
        unsafe headers = curl_slist_append(headers, "Expect:")
        set(request)
        if let share = unsafe client.connections.pointer {
            _ = unsafe gatehouse_curl_set_share(handle, share)
        }
        if client.network.isConfined { leaveConnectingToHost() }
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(headers)
        unsafe curl_slist_free_all(addresses)
        unsafe errors.deallocate()
    }

    /// Sets all options.
    private func set(_ request: HTTPRequest) {
        let texts = [
            (CURLOPT_URL, request.url), (CURLOPT_PROTOCOLS_STR, "http,https"),
            (CURLOPT_CUSTOMREQUEST, request.method), (CURLOPT_USERAGENT, "gatehouse-http-client"),
        ]
        for (option, text) in texts { _ = unsafe gatehouse_curl_set_text(handle, option, text) }
        let numbers = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_TIMEOUT_MS, request.timeout), (CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout),
            (CURLOPT_NOBODY, request.method == "HEAD" ? 1 : 0),
        ]
        for (option, number) in numbers { _ = unsafe gatehouse_curl_set_number(handle, option, number) }
        if let body = request.body {
            _ = unsafe gatehouse_curl_set_body(handle, body, curl_off_t(body.count))
        }
        _ = unsafe gatehouse_curl_set_headers(handle, headers)
        _ = unsafe gatehouse_curl_set_errors(handle, errors)
        // On a kept connection that is reset, libcurl would send the request again by itself; but the operator decides how
        // often it goes out.
        _ = unsafe gatehouse_curl_set_ready(
            handle,
            { data, _, _, _, _ in
                guard let data = unsafe data else { return 1 }
                return unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue().mayGo() ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
        _ = unsafe gatehouse_curl_set_write(
            handle,
            { bytes, _, count, data in
                guard let bytes = unsafe bytes, let data = unsafe data else { return 0 }
                let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
                return unsafe transfer.take(UnsafeRawBufferPointer(start: bytes, count: count))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Lets libcurl take connections of the host, and make none by itself.
    private func leaveConnectingToHost() {
        // Nobody connects to this address, which stands for the host that is looked up elsewhere. One of IPv6 needs none.
        let isName = !request.host.contains(":")
        unsafe addresses = isName ? curl_slist_append(nil, "\(request.host):\(request.port):192.0.2.1") : nil
        _ = unsafe gatehouse_curl_set_addresses(handle, addresses)
        // A proxy of the environment would be somebody else than the connection leads to.
        _ = unsafe gatehouse_curl_set_text(handle, CURLOPT_PROXY, "")
        _ = unsafe gatehouse_curl_set_open(
            handle,
            { data, _, address in
                guard let data = unsafe data else { return CURL_SOCKET_BAD }
                // libcurl 7.88 connects a socket that is connected already. A worker may do that with an address that names
                // nobody, and the system then says that the connection stands.
                unsafe address?.pointee.addr.sa_family = sa_family_t(AF_UNIX)
                unsafe address?.pointee.addrlen = UInt32(MemoryLayout<sa_family_t>.size)
                return unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue().takeConnection()
            }, Unmanaged.passUnretained(self).toOpaque())
        _ = unsafe gatehouse_curl_expect_connected(handle)
    }

    /// Returns the descriptor of the connection that the host has made, which is libcurl's from now on; none where there is none.
    private func takeConnection() -> curl_socket_t {
        if let connection {
            self.connection = nil
            return connection.take()
        }
        lacksConnection = true
        return CURL_SOCKET_BAD
    }

    /// Returns how long the host may take to connect, for a transfer that has ended because it must; nil for any other.
    func timeToConnect() -> Duration? {
        guard lacksConnection else { return nil }
        lacksConnection = false
        if isSent {
            // libcurl wanted to send it again.
            isRepeated = true
            return nil
        }
        return .milliseconds(max(1, min(request.timeout, request.connectTimeout) - elapsed))
    }

    /// Takes a connection, before the transfer is repeated in what is left of its time.
    func connect(through connection: NetworkConnection) {
        self.connection = connection
        let numbers = [
            (CURLOPT_TIMEOUT_MS, request.timeout), (CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout),
        ]
        for (option, number) in numbers {
            _ = unsafe gatehouse_curl_set_number(handle, option, max(1, number - elapsed))
        }
    }

    /// How long it has been under way, in milliseconds.
    private var elapsed: Int { Int(start.duration(to: .now) / .milliseconds(1)) }

    /// Returns whether the request may go out now, which it may only once.
    private func mayGo() -> Bool {
        isRepeated = isSent
        isSent = true
        return !isRepeated
    }

    /// Keeps as much as there is room for; ends the transfer by returning less than it got.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        let room = request.maximumResponse - body.count
        unsafe body.append(contentsOf: bytes[..<min(room, bytes.count)])
        isCut = bytes.count > room
        return isCut ? 0 : bytes.count
    }

    /// Hands over the result of a transfer that ended with this code.
    func end(_ code: CURLcode) {
        guard code == CURLE_OK || isCut else {
            let words =
                isRepeated
                ? "the service has closed the connection without an answer" : unsafe String(cString: errors)
            complete(
                .failure(
                    HTTPFailure(
                        isTimeout: code == CURLE_OPERATION_TIMEDOUT,
                        words: words.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : words)))
            return
        }
        func text(_ pointer: UnsafePointer<CChar>?) -> String? {
            unsafe pointer.map { unsafe String(cString: $0) }
        }
        complete(
            .success(
                HTTPResponse(
                    status: unsafe gatehouse_curl_number(handle, CURLINFO_RESPONSE_CODE),
                    retryAfter: unsafe text(gatehouse_curl_header(handle, "Retry-After")),
                    contentType: unsafe text(gatehouse_curl_text(handle, CURLINFO_CONTENT_TYPE)),
                    location: unsafe text(gatehouse_curl_text(handle, CURLINFO_REDIRECT_URL)),
                    body: body, isCut: isCut)))
    }
}
