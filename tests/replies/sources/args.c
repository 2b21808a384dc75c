/* Options of the command line. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 64

struct options {
    char name[MAX_NAME];
    int port;
    int workers;
    bool verbose;
};

static int parse_port(const char *text, struct options *out) {
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || value <= 0) {
        fprintf(stderr, "bad port: %s\n", text);
        return -1;
    }
    out->port = (int)value;
    return 0;
}

static int parse_workers(const char *text, struct options *out) {
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || value <= 0) {
        fprintf(stderr, "bad number of workers: %s\n", text);
        return -1;
    }
    out->workers = (int)value;
    return 0;
}

int parse_options(int count, char **values, struct options *out) {
    memset(out, 0, sizeof(*out));
    out->port = 8080;
    for (int i = 1; i < count; i++) {
        if (strcmp(values[i], "-v") == 0) {
            out->verbose = true;
        } else if (strcmp(values[i], "-p") == 0 && i + 1 < count) {
            i++;
            if (parse_port(values[i], out) != 0) {
                return -1;
            }
        } else {
            fprintf(stderr, "unknown option: %s\n", values[i]);
            return -1;
        }
    }
    return 0;
}
