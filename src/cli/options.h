/* Command-line options as tables: parsing, checking and help come from the same rows. */
#ifndef GLSHAPE_CLI_OPTIONS_H
#define GLSHAPE_CLI_OPTIONS_H

#include "base/error.h"

typedef enum {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_INPUT,   /* const char *: a file to read, beside INPUT */
    OPTION_OUTPUT,  /* const char *: a file to write */
    OPTION_MATRIX,  /* the same, for io_write_matrix() */
    OPTION_PICTURE, /* the same, for a picture */
    OPTION_CHOICE,  /* int: index into choices */
    OPTION_INTEGER, /* int, at least `least`, or within a range */
    OPTION_SEED,    /* uint64_t */
    OPTION_SIZE,    /* size_t: bytes, with K, M or G */
} option_kind;

typedef struct option_row {
    const char *name;   /* "--seed"; a row without name is a heading for help */
    const char *letter; /* "-o" or NULL */
    option_kind kind;
    void *value;
    const char *argument; /* "N", as help shows it; of a CHOICE: "euclidean|manhattan" */
    const char *help;     /* "": not shown, as of an old name; a row with the same value may show it */
    int least;            /* of an INTEGER; or OPTION_RANGE */
} option_row;

/* What `least` says of an INTEGER that has a largest value, too; least is below 256. */
#define OPTION_RANGE(least, most) ((most) << 8 | (least))

/* Parses argv[1…argc) (argv[0] is the command) by the tables: a NULL-ended list of tables, each ended by an
 * all-zero row. Values go where the rows say. The arguments that are no options are moved to argv[1…], in
 * their order; *inputs gets how many they are. "--" ends the options. GLSHAPE_BAD_ARGUMENT: the message names
 * the option and what it takes. */
glshape_status options_parse(error *err, int argc, char **argv, const option_row *const *tables, int *inputs);
/* The input, if there is but one; NULL if there is none. GLSHAPE_BAD_ARGUMENT if there are more. */
glshape_status options_one_input(error *err, char **argv, int inputs, const char **input);
/* Prints usage, then a line for each row of the tables. */
void options_help(const char *usage, const option_row *const *tables);
/* Prints what is wrong with the command line, and how to get help, on stderr. Returns EXIT_USAGE. */
int options_report_misuse(const error *err, const char *command);

#endif
