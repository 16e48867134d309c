/* What all commands have in common: common options, reading, the device, the report, the end. */
#ifndef GLSHAPE_CLI_SESSION_H
#define GLSHAPE_CLI_SESSION_H

#include "base/clock.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "io/columns.h"
#include "io/json.h"
#include "io/read.h"
#include "io/write.h"

#define SESSION_STAGES 64 /* at most */

typedef struct session {
    const char *command_line; /* as typed, for the report */
    /* How this command's common options differ from others'. Zero is the usual. */
    const char *output_help; /* help of -o, if the main result is not a matrix */
    const char *format_help; /* help of --format; "": the command has no --format */
    bool seeded;             /* the command has --seed */
    bool pictureless;        /* the command has no --picture */
    bool may_need_none;      /* small inputs need no device: it is opened when it is needed */
    bool tabular;            /* INPUT may be points: the command has --columns and --index */
    bool plane;              /* points have two columns: cli/plane_input.h advises which */
    bool shared;             /* all ranks take part, as far as session_is_first() does not tell them apart */
    const char *const *list; /* the command takes many inputs, also from this option's file (cli/batch.h) */
    const char *name;        /* the command */
    const option_row *own;   /* the command's own options */
    const char *input, *output, *format, *device, *report, *picture;
    size_t item;   /* of a batch: the number of its input, from 0 */
    char **inputs; /* all of them; input is the first, or NULL */
    int input_count;
    io_columns columns;
    const char *dataset; /* of points in HDF5 or NetCDF */
    int unit;            /* of --metric haversine: km or radians */
    io_texts texts;      /* names and labels of the rows of INPUT; none: empty */
    int stage;           /* glshape_stage */
    size_t gpu_memory;
    uint64_t seed;
    bool help;
    bool noted;   /* that the device is a software renderer */
    bool checked; /* the command line was accepted: later failures are not bad usage */
    error err;
    glshape_context *context;
    double started, read_seconds, open_seconds, write_seconds;
    terminal_bar bar;
    struct session_rank *ranks; /* of several: what each has used, for the report */
    glshape_stage_facts stages[SESSION_STAGES];
    int stage_count;
} session;

#define SESSION_ROWS 15
#define SESSION_CLOUDS "ply, off, obj, xyz, pcd, geojson or wkt"
#define SESSION_METRICS \
    "euclidean|manhattan|cosine|correlation|chebyshev|minkowski|haversine" /* by glshape_metric */
/* Rows of options that several commands have. */
#define SESSION_P(text) \
    "--p", NULL, OPTION_TEXT, &(text), "P", "of --metric minkowski: 1 to 64, or inf (default 2)", 0
#define SESSION_UNIT(s)                                                                                   \
    "--unit", NULL, OPTION_CHOICE, &(s).unit, "km|radians",                                               \
        "of --metric haversine: what distances are in (default km, on a sphere of radius 6371.0088 km); " \
        "points are "                                                                                     \
        "degrees, latitude before longitude, or two columns of the table that are called so",             \
        0
#define SESSION_SEARCH(choice)                                                                     \
    "--search", NULL, OPTION_CHOICE, &(choice), "auto|pairs|index",                                \
        "points: compare all pairs, or walk through a tree of boxes; only the time depends on it " \
        "(default auto)",                                                                          \
        0
#define SESSION_SYMMETRIZE(flag) \
    "--symmetrize", NULL, OPTION_FLAG, &(flag), NULL, "distances: average the two sides of the diagonal", 0
/* Fills the table of the common options for s. */
void session_options(session *s, option_row rows[SESSION_ROWS]);

/* Parses the command line into s and the values of own, which must live as long as s. Returns true if the
 * command should go on. Else it has printed help or what is wrong, and sets *exit_code. */
bool session_begin(session *s, int argc, char **argv, const option_row *own, const char *usage,
                   int *exit_code);
/* GLSHAPE_BAD_ARGUMENT if --modulus is neither a prime nor 0, the default. */
enum { SESSION_MOST_MODULUS = 32767 };
glshape_status session_check_modulus(session *s, int modulus);
/* Leaves a note on outputs that --dry-run does not write: all but --report. */
void session_note_idle_outputs(session *s);
/* Sets *p to what --p says, or to 0 if text is NULL; of haversine to the sphere's radius, and has points read
 * as degrees. GLSHAPE_BAD_ARGUMENT: it is out of its range, or the metric is not minkowski; or --unit is
 * given without haversine. */
glshape_status session_read_p(session *s, const char *text, int metric, double *p);
/* GLSHAPE_BAD_ARGUMENT if path, of this option, is no text by its extension; NULL is fine. */
glshape_status session_check_text(session *s, const char *option, const char *path);
/* Checks all files that the options name, with files_check(): the last check before the work. */
glshape_status session_check_outputs(session *s);

/* Whether this is the first rank (src/ranks), which alone reads what ranks share, writes and prints. */
bool session_is_first(void);
/* After the work that ranks share: *done is true on all but the first, which has the result and goes on. */
glshape_status session_end_sharing(session *s, bool *done);
/* Reads INPUT, in the --format given, as a matrix of finite numbers. If ranks share the work, the first one
 * reads it for all. */
glshape_status session_read_points(session *s, glshape_matrix *out);
/* Reads another file of such rows: the same columns of it, without --labels. format: of its text. texts may
 * be NULL; it is zeroed before, and the caller releases it. */
glshape_status session_read_rows(session *s, const char *path, io_format format, glshape_matrix *out,
                                 io_texts *texts);
/* What names the rows of an output that is about the rows of INPUT (io_write_named). of: whose name each row
 * has; NULL: its own. */
io_row_names session_names(const session *s, const char *head, const uint32_t *of);
/* *out becomes the names of the rows of INPUT, a new block, for a picture; NULL: they have none. */
glshape_status session_list_names(session *s, const char ***out);
/* Writes a value for each row of INPUT, or a row. */
glshape_status session_write_column(session *s, const char *path, const char *head, glshape_type type,
                                    size_t n, void *values);
glshape_status session_write_rows(session *s, const char *path, const char *head, const glshape_matrix *m);
/* Checks --columns and --index; points: whether INPUT is points. GLSHAPE_BAD_ARGUMENT. */
glshape_status session_check_columns(session *s, bool points);
/* The first rank's matrix becomes that of all ranks that take part. */
glshape_status session_share_matrix(session *s, glshape_matrix *m);

/* Opens the device into s->context, or lets it be opened when it is needed. Says on stderr if it is the
 * software renderer and nobody asked for that. */
glshape_status session_open(session *s);
/* The same for a context that is not the session's, which the caller closes even if this fails. progress, of
 * which s is the user, may be NULL: then ranks do not share the work of the context. */
glshape_status session_open_device(session *s, glshape_progress progress, glshape_context **out);
/* Says, once, on stderr if the context's device is open and a software renderer that nobody asked for. */
void session_note_device(session *s, const glshape_context *context);
/* Prints the notes of s->err on stderr, unless --quiet, and forgets them. */
void session_print_notes(session *s);
/* Returns status. If it is a failure of the library, copies the library's message into s->err. */
glshape_status session_library_error(session *s, glshape_status status);
/* The same for a failure that is about the input: puts the input's name, which the library does not know,
 * before the message. */
glshape_status session_input_error(session *s, glshape_status status);
/* Closes the device, prints the message of a failure, and returns the exit code. GLSHAPE_BAD_ARGUMENT
 * counts as bad usage until session_check_outputs() has passed. */
int session_end(session *s, glshape_status status);

/* Shows the progress bar if stderr is a terminal. Returns true: go on. user: the session. */
bool session_progress(void *user, double fraction);
/* Takes the stages of the last method into s->stages, behind those of methods before it. The report takes
 * those of the last. */
void session_take_stages(session *s);
/* Returns a fact of the last method, by its name in glshape_facts; 0 if there is none. */
double session_fact(const session *s, const char *name);
/* Returns what pictures call the input: its name without folders. */
const char *session_title(const session *s);

/* Returns the stream for the one-line summary of the result: stdout, or stderr if an output goes to stdout.
 */
FILE *session_summary(session *s);

/* Returns "s" if count is not 1, else "". */
const char *plural(size_t count);

/* Writes the report in three parts: session_report_begin writes what all reports have; the caller adds
 * "result"; session_report_end adds facts, stages, seconds, passes, bytes and peak memory, releases the
 * report, and puts the file in place. */
typedef struct session_report session_report;
glshape_status session_report_begin(session *s, size_t rows, size_t columns, session_report **out, json **j);
/* How long a part of the command took. A list of them ends with one without a name; in the report it stands
 * between read and open before it and passes, transfers, host and total after it. */
typedef struct session_stage {
    const char *name;
    double seconds;
} session_stage;
glshape_status session_report_end(session *s, session_report *r, const session_stage *stages);

/* TRY(expr), and sets `seconds` to the time that it took. */
#define TRY_TIMED(seconds, expr)             \
    do {                                     \
        double start_ = wall_seconds();      \
        TRY(expr);                           \
        (seconds) = wall_seconds() - start_; \
    } while (0)

#endif
