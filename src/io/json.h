/* Writing JSON (RFC 8259) piece by piece, indented by two spaces a level.
 *
 * Inside an object every piece has a key; inside an array, and for the outermost piece, key is NULL. Errors
 * of the stream are left to whoever commits it. */
#ifndef GLSHAPE_IO_JSON_H
#define GLSHAPE_IO_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out; /* borrowed */
    int depth;
    bool filled; /* the innermost object or array has something in it */
    int flat;    /* at this depth and below, pieces stand in one line; 0: none */
} json;

/* Starts a text on out, which stays the caller's. */
void json_open(json *j, FILE *out);

/* Begin and end an object or an array; when the outermost one ends, a newline ends the text. */
void json_object_begin(json *j, const char *key);
void json_object_end(json *j);
void json_array_begin(json *j, const char *key);
/* An array that stands in one line, with all that is in it. */
void json_flat_begin(json *j, const char *key);
void json_array_end(json *j);

/* One value. A number has the shortest digits that read back; NaN and infinities, which JSON lacks, become
 * null. A string is UTF-8; bytes that are not become U+FFFD; NULL becomes null. */
void json_number(json *j, const char *key, double value);
void json_float(json *j, const char *key, float value); /* digits that read back as the same float */
void json_integer(json *j, const char *key, int64_t value);
void json_unsigned(json *j, const char *key, uint64_t value);
void json_string(json *j, const char *key, const char *text);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);

#endif
