/* What every command shares: the common options, the device, the report. */
#ifndef GLSHAPE_CLI_SESSION_H
#define GLSHAPE_CLI_SESSION_H

#include "base/clock.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "io/json.h"

typedef struct session {
    const char *command_line; /* as typed, for the report */
    /* What sets the command's common options apart from others'; may be left out. */
    const char *output_help; /* of a main result that is no matrix */
    const char *format_help; /* of --format; "": refused by the command */
    bool seeded;             /* something is random */
    bool pictureless;        /* --picture is refused */
    const char *name;        /* of the command */
    const option_row *own;   /* its options */
    const char *input, *output, *format, *device, *report, *picture;
    int stage; /* glshape_stage */
    size_t gpu_memory;
    uint64_t seed;
    bool help;
    bool checked; /* the command line is good: what fails from now on is no bad usage */
    error err;
    glshape_context *context;
    double started, read_seconds, open_seconds, write_seconds;
    terminal_bar bar;
} session;

#define SESSION_ROWS 12
#define SESSION_METRICS "euclidean|manhattan|cosine|correlation" /* by glshape_metric */
/* Fills the table of the common options for s. */
void session_options(session *s, option_row rows[SESSION_ROWS]);

/* Parses; prints help or complains. Returns true if the command should go on, else sets *exit_code. own is
 * kept. */
bool session_begin(session *s, int argc, char **argv, const option_row *own, const char *usage,
                   int *exit_code);
/* Whether an option's whole number is at most most. */
glshape_status session_check_most(session *s, const char *option, int value, int most);
/* files_check() of the command's options: the last check before the work. */
glshape_status session_check_outputs(session *s);

/* Reads INPUT, in the --format given, as a matrix of finite numbers. */
glshape_status session_read_points(session *s, glshape_matrix *out);

/* Opens the device; says on stderr if it is the software renderer by default. Sets open_seconds. */
glshape_status session_open(session *s);
/* Copies the context's sentence into s->err and returns status. */
glshape_status session_library_error(session *s, glshape_status status);
/* The same, with the input's name before it, which the library does not know. */
glshape_status session_input_error(session *s, glshape_status status);
/* Closes everything, prints the failure if there is one, and gives the exit code. A bad argument is bad usage
 * until session_check_outputs() has passed. */
int session_end(session *s, glshape_status status);

/* Shows the bar on a terminal; true. user: the session. */
bool session_progress(void *user, double fraction);
/* A fact of the last method, as glshape_facts has it; 0 if there is none of this name. */
double session_fact(const session *s, const char *name);
/* What a picture calls the input: its name without folders. */
const char *session_title(const session *s);

/* Where a line about the result goes: stdout, or stderr if some output goes to stdout. */
FILE *session_summary(session *s);

/* What makes a noun of count things plural: "s", or "" for one. */
const char *plural(size_t count);

/* The report: session_report_begin writes what all reports share; the caller adds "result";
 * session_report_end adds facts, seconds, passes and peak memory, and puts the file in place. */
typedef struct session_report session_report;
glshape_status session_report_begin(session *s, size_t rows, size_t columns, session_report **out, json **j);
/* stages, ended by one without a name, stand between reading and opening before, and the total after. */
typedef struct session_stage {
    const char *name;
    double seconds;
} session_stage;
glshape_status session_report_end(session *s, session_report *r, const session_stage *stages);

/* TRY(expr); the seconds that it takes go into `seconds`. */
#define TRY_TIMED(seconds, expr)             \
    do {                                     \
        double start_ = wall_seconds();      \
        TRY(expr);                           \
        (seconds) = wall_seconds() - start_; \
    } while (0)

#endif
