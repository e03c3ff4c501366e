// The built library in a host of its own: gatehouse probe answers each line with one line.

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>

/// Compares what the plugin does with lines of input, from its start to its end; gives 1 where that differs.
static int differs(const char *lines, const char *expected) {
    char command[4096];
    int length = snprintf(
        command, sizeof command, "\"${GATEHOUSE:-gatehouse}\" probe plugins/libPluginName.so <<'END'\n%s\nEND\n", lines);
    if (length < 0 || (size_t)length >= sizeof command) return 1;
    FILE *host = popen(command, "r");
    if (!host) return 1;
    char found[4096];
    size_t count = fread(found, 1, sizeof found - 1, host);
    found[count] = 0;
    int status = pclose(host);
    if (status == 0 && strcmp(found, expected) == 0) return 0;
    fprintf(stderr, "%s\nexpected:\n%sfound, with the status %d:\n%s", lines, expected, status, found);
    return 1;
}

int main(void) {
    int failures = 0;
    failures += differs(
        "{\"type\":\"hello\",\"payload\":{\"name\":\"Ada\"}}",
        "{\"did\":\"start\"}\n"
        "{\"did\":\"action\",\"emitted\":[{\"type\":\"greeted\",\"payload\":{\"text\":\"Hello!\",\"to\":{\"name\":\"Ada\"}}}]}\n"
        "{\"did\":\"stop\"}\n");
    failures += differs(
        "{\"gate\":\"bypass\"}\n{\"type\":\"hello\"}",
        "{\"did\":\"start\"}\n{\"did\":\"gate\"}\n{\"did\":\"action\"}\n{\"did\":\"stop\"}\n");
    return failures > 0;
}
