// SPDX-License-Identifier: Apache-2.0

@main
enum Gatehouse {
    static func main() {}
}
