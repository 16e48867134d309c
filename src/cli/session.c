#include "cli/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cloud/cloud.h"
#include "io/field/grid.h"
#include "io/market.h"
#include "io/number.h"
#include "io/read.h"
#include "io/write.h"
#include "ranks/ranks.h"

#define EARTH 6371.0088 /* its mean radius in km (IUGG) */

enum { MOST_FACTS = 200, MOST_PASSES = 64 };

/* ---- options ----------------------------------------------------------------------------------- */

#define MATRICES "write the main result, by extension (.npy .csv .tsv .txt); - is standard output"
#define FORMATS "input format: auto, npy, csv, tsv, text, " SESSION_CLOUDS
#define SEED "random seed; the same seed and device give the same bytes (default 0)"
#define COLUMNS                                                                                      \
    "points: these columns of a table, by the names in its first line or by their numbers, such as " \
    "lon,lat or 2-4 or first:last"
#define INDEX "points: all columns but this one, which names the rows, also in outputs of text"
#define DATASET "points of HDF5 or NetCDF: the array to read, if the file has several"
#define PICTURE "draw the result as .png, .svg or, to open in a browser, .html"

void session_options(session *s, option_row rows[SESSION_ROWS]) {
    const option_row table[SESSION_ROWS] = {
        {"--output", "-o", s->output_help ? OPTION_OUTPUT : OPTION_MATRIX, &s->output, "FILE",
         s->output_help ? s->output_help : MATRICES, 0},
        {"--format", NULL, OPTION_TEXT, &s->format, "F", s->format_help ? s->format_help : FORMATS, 0},
        {"--columns", NULL, OPTION_TEXT, &s->columns.chosen, "LIST", s->tabular ? COLUMNS : "", 0},
        {"--index", NULL, OPTION_TEXT, &s->columns.left_out, "COLUMN", s->tabular ? INDEX : "", 0},
        {"--dataset", NULL, OPTION_TEXT, &s->dataset, "NAME", s->tabular ? DATASET : "", 0},
        {"--device", NULL, OPTION_TEXT, &s->device, "N|NAME",
         "the GPU: a number or a part of a name in the list of 'glshape devices' (default: the first "
         "hardware one, and none for small inputs)",
         0},
        {"--stage", NULL, OPTION_CHOICE, &s->stage, "auto|compute|fragment",
         "OpenGL's stage that texel kernels run in (default auto: the faster one)", 0},
        {"--gpu-memory", NULL, OPTION_SIZE, &s->gpu_memory, "SIZE", "limit of texture memory, such as 256M",
         0},
        {"--seed", NULL, OPTION_SEED, &s->seed, "N", s->seeded ? SEED : "", 0},
        {"--report", NULL, OPTION_OUTPUT, &s->report, "FILE",
         "write a JSON report: device, sizes, result, stages, facts, seconds, memory", 0},
        {"--picture", NULL, OPTION_PICTURE, &s->picture, "FILE", s->pictureless ? "" : PICTURE, 0},
        {"--quiet", "-q", OPTION_FLAG, &s->bar.quiet, NULL, "no progress bar and no notes on stderr", 0},
        {"--help", "-h", OPTION_FLAG, &s->help, NULL, "show this text", 0},
        {0},
    };
    memcpy(rows, table, sizeof table);
}

/* ---- beginning ------------------------------------------------------------------------------------ */

bool session_begin(session *s, int argc, char **argv, const option_row *own, const char *usage,
                   int *exit_code) {
    option_row common[SESSION_ROWS];
    session_options(s, common);
    const option_row *const tables[] = {own, common, NULL};
    s->name = argv[0];
    s->own = own;
    s->started = s->bar.started = wall_seconds();
    terminal_catch_signals();
    glshape_status status = options_parse(&s->err, argc, argv, tables, &s->input_count);
    s->inputs = argv + 1;
    if (!status)
        status = options_one_input(&s->err, argv, s->list && s->input_count ? 1 : s->input_count, &s->input);
    if (!status && s->help) {
        options_help(usage, tables);
        *exit_code = EXIT_DONE;
        return false;
    }
    if (!status && !s->input && !(s->list && *s->list))
        status = fail(&s->err, GLSHAPE_BAD_ARGUMENT, "which input? Give a file, or - for standard input");
    if (!status && (s->shared || session_is_first())) return true;
    if (!status) {
        *exit_code = session_end(s, status);
        return false;
    }
    *exit_code = options_report_misuse(&s->err, argv[0]);
    return false;
}

bool session_is_first(void) { return ranks_world()->rank == 0; }

/* ---- checks ------------------------------------------------------------------------------------ */

glshape_status session_read_p(session *s, const char *text, int metric, double *p) {
    bool sphere = metric == GLSHAPE_METRIC_HAVERSINE;
    *p = sphere && !s->unit ? EARTH : 0;
    s->columns.geographic = sphere;
    if (s->unit && !sphere) return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--unit goes with --metric haversine");
    if (!text) return GLSHAPE_OK;
    if (metric != GLSHAPE_METRIC_MINKOWSKI)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--p goes with --metric minkowski");
    if (io_number_parse(text, strlen(text), p) && *p >= 1 && (*p <= 64 || isinf(*p))) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--p wants a number from 1 to 64, or inf, not '%s'", text);
}

glshape_status session_check_modulus(session *s, int modulus) {
    int d = 2;
    while (modulus <= SESSION_MOST_MODULUS && d * d <= modulus && modulus % d) d++;
    if (!modulus || (modulus <= SESSION_MOST_MODULUS && d * d > modulus)) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--modulus takes a prime below %d, not '%d'",
                SESSION_MOST_MODULUS + 1, modulus);
}

void session_note_idle_outputs(session *s) {
    option_row common[SESSION_ROWS];
    session_options(s, common);
    const option_row *const tables[] = {common, s->own, NULL};
    for (int t = 0; tables[t]; t++)
        for (const option_row *row = tables[t]; row->help; row++) {
            bool output =
                row->kind == OPTION_OUTPUT || row->kind == OPTION_MATRIX || row->kind == OPTION_PICTURE;
            if (output && *(const char **)row->value && row->value != &s->report)
                note(&s->err, "%s is not written, as --dry-run stops before there is a result",
                     row->letter ? row->letter : row->name);
        }
}

glshape_status session_check_text(session *s, const char *option, const char *path) {
    if (!path) return GLSHAPE_OK;
    TRY(io_output_format_check(&s->err, path));
    if (io_output_delimiter(path)) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s is text: name %s .csv, .tsv or .txt", option, path);
}

glshape_status session_check_outputs(session *s) {
    option_row common[SESSION_ROWS];
    session_options(s, common);
    const option_row *const tables[] = {common, s->own, NULL};
    if (s->picture && s->pictureless)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "%s has no --picture", s->name);
    if (session_is_first()) TRY(files_check(&s->err, tables, s->input));
    s->checked = true;
    return GLSHAPE_OK;
}

FILE *session_summary(session *s) {
    option_row common[SESSION_ROWS];
    session_options(s, common);
    return files_take_stdout((const option_row *const[]){common, s->own, NULL}) ? stderr : stdout;
}

/* ---- progress ------------------------------------------------------------------------------------ */

bool session_progress(void *user, double fraction) {
    session *s = user;
    if (s->context) session_note_device(s, s->context);
    terminal_progress(&s->bar, fraction);
    return true;
}

/* ---- input --------------------------------------------------------------------------------------- */

static bool has_columns(const session *s) {
    return s->columns.chosen || s->columns.left_out || s->columns.labels;
}

static const char *columns_option(const session *s) {
    return s->columns.chosen ? "--columns" : s->columns.left_out ? "--index" : "--labels";
}

static glshape_status refuse_names(session *s, const char *file) {
    return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                "%s: the columns of %s have no names; give their numbers, from 1", columns_option(s), file);
}

/* An array of NumPy's, whose columns have no names. */
static bool is_npy(const char *path, io_format format) {
    size_t length = strlen(path);
    if (length > 3 && !strcasecmp(path + length - 3, ".gz")) length -= 3;
    bool ends = length > 4 &&
                (!strncasecmp(path + length - 4, ".npy", 4) || !strncasecmp(path + length - 4, ".npz", 4));
    return format == IO_NPY || (format == IO_AUTO && ends);
}

glshape_status session_check_columns(session *s, bool points) {
    io_format format = IO_AUTO;
    if (s->dataset && !points)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT, "--dataset goes with points: say --input points");
    if (!has_columns(s)) return GLSHAPE_OK;
    TRY(io_columns_check(&s->err, &s->columns));
    if (s->columns.labels &&
        (!points || is_npy(s->input, s->format && !strcmp(s->format, "npy") ? IO_NPY : format)))
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "--labels %s: there is no such file, and columns of text are those of a table of points",
                    s->columns.labels);
    if (points && s->format && io_format_from_name(NULL, s->format, &format))
        return GLSHAPE_OK; /* said elsewhere */
    if (points && is_npy(s->input, format) && !io_columns_have_numbers(&s->columns))
        return refuse_names(s, io_input_name(s->input));
    if (points) return GLSHAPE_OK;
    return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                "%s goes with points: these are columns of a table; say --input points", columns_option(s));
}

/* Where a field was no number, the message also says how to choose columns; an --index that was given stays.
 */
static glshape_status advise_columns(session *s, glshape_status status, const char *path) {
    char advice[IO_COLUMNS_ADVICE];
    if (status != GLSHAPE_BAD_INPUT || !s->tabular || s->plane || !strstr(s->err.text, "is not a number") ||
        !io_columns_advise(path, advice))
        return status;
    error why = s->err;
    bool one = !strncmp(advice, "--index ", 8);
    bool text = one && (!strcmp(s->name, "mds") || !strcmp(s->name, "pcoa"));
    const char *index = one ? NULL : s->columns.left_out;
    return fail(&s->err, status, "%s; choose columns of the table, as %s%s%s%s%s%s", why.text,
                index ? "--index " : "", index ? index : "", index ? " " : "", advice,
                text ? ", or, if it has classes for the picture, --labels " : "", text ? advice + 8 : "");
}

#define DEGREES 57.295779513082320877 /* of a radian */

/* How columns are taken in the other order. */
static const char *other_order(io_format format) {
    return format == IO_GEOJSON      ? ""
           : cloud_is_format(format) ? "; latitude first is --columns x,y"
                                     : "; longitude first is --columns 2,1";
}

/* Degrees, latitude first, become radians. */
static glshape_status read_degrees(session *s, const char *path, io_format format, glshape_matrix *m) {
    OWNED double *x = NULL;
    const char *name = io_input_name(path);
    if (m->cols != 2)
        return fail(
            &s->err, GLSHAPE_BAD_INPUT,
            "%s has %zu column%s; haversine is of two, latitude and longitude: choose them, as --columns 1,2",
            name, m->cols, plural(m->cols));
    TRY(io_matrix_doubles(&s->err, m, &x));
    for (size_t r = 0; r < m->rows; r++) {
        if (fabs(x[2 * r]) > 90 || fabs(x[2 * r + 1]) > 360)
            return fail(&s->err, GLSHAPE_BAD_INPUT,
                        "%s: row %zu: (%g, %g) is no latitude and longitude in degrees%s", name, r + 1,
                        x[2 * r], x[2 * r + 1], other_order(format));
        for (int k = 0; k < 2; k++) x[2 * r + (size_t)k] /= DEGREES;
    }
    size_t rows = m->rows;
    io_matrix_free(m);
    *m = (glshape_matrix){GLSHAPE_F64, rows, 2, MOVE(x)};
    return GLSHAPE_OK;
}

static glshape_status read_table(session *s, const char *path, io_format format, const io_columns *columns,
                                 glshape_matrix *out, io_texts *texts) {
    OWNED_BY(io_stream_close) io_stream from = {.fd = -1};
    TRY(io_stream_open(&s->err, path, &from));
    bool sets = format == IO_AUTO && io_grid_is_named(&from), npy = sets || is_npy(path, format),
         chosen = has_columns(s) || (columns->geographic && !npy);
    io_format cloud = cloud_format_of(&from, path, format);
    bool unnamed = npy || (format == IO_AUTO && io_market_starts(&from));
    if (s->dataset && !sets)
        return fail(&s->err, GLSHAPE_BAD_ARGUMENT,
                    "%s is not HDF5 or NetCDF, of which --dataset names an array", from.name);
    if (columns->labels && (unnamed || cloud_is_format(cloud)))
        return fail(
            &s->err, GLSHAPE_BAD_INPUT,
            "--labels %s: there is no such file, and columns of text are those of a table, which %s is "
            "not",
            columns->labels, from.name);
    if (sets && chosen && !io_columns_have_numbers(columns)) return refuse_names(s, from.name);
    if (cloud_is_format(cloud)) {
        TRY(cloud_read(&s->err, &from, cloud, columns, out));
    } else if (sets) {
        TRY(io_grid_read_table(&s->err, &from, path, s->dataset, out));
        if (chosen) TRY(io_pick_columns(&s->err, path, columns, out));
    } else if (chosen && !unnamed) {
        TRY(advise_columns(s, io_read_columns_stream(&s->err, &from, columns, out, texts), path));
    } else {
        glshape_status status = io_read_stream(&s->err, &from, format, out, texts ? &texts->names : NULL);
        TRY(advise_columns(s, status, path));
        if (chosen) TRY(io_pick_columns(&s->err, path, columns, out));
    }
    TRY(io_check_finite(&s->err, path, out));
    return columns->geographic ? read_degrees(s, path, cloud, out) : GLSHAPE_OK;
}

glshape_status session_read_rows(session *s, const char *path, io_format format, glshape_matrix *out,
                                 io_texts *texts) {
    io_columns columns = s->columns;
    columns.labels = NULL;
    return read_table(s, path, format, &columns, out, texts);
}

io_row_names session_names(const session *s, const char *head, const uint32_t *of) {
    const io_label_list *names = &s->texts.names;
    return (io_row_names){names->count ? names : NULL, head, of};
}

glshape_status session_list_names(session *s, const char ***out) {
    const io_label_list *names = &s->texts.names;
    *out = NULL;
    if (!names->count) return GLSHAPE_OK;
    TRY(allocate(&s->err, out, names->count, sizeof **out, "the names"));
    for (size_t i = 0; i < names->count; i++) (*out)[i] = io_label_at(names, i);
    return GLSHAPE_OK;
}

glshape_status session_write_column(session *s, const char *path, const char *head, glshape_type type,
                                    size_t n, void *values) {
    const glshape_matrix m = {type, n, 1, values};
    return io_write_named(&s->err, path, 1, &m, session_names(s, head, NULL));
}

glshape_status session_write_rows(session *s, const char *path, const char *head, const glshape_matrix *m) {
    return io_write_named(&s->err, path, 2, m, session_names(s, head, NULL));
}

static glshape_status read_points(session *s, glshape_matrix *out) {
    io_format format = IO_AUTO;
    if (s->format) TRY(io_format_from_name(&s->err, s->format, &format));
    return read_table(s, s->input, format, &s->columns, out, &s->texts);
}

/* What a rank has read: ranks that have the same hold the same points. */
typedef struct reading {
    size_t rows, cols;
    uint64_t sum, type;
} reading;

/* The sum of a matrix's bytes, block by block. */
typedef struct summing {
    const char *data;
    size_t bytes;
    _Atomic uint64_t sum;
} summing;

#define SUM_BLOCK ((size_t)1 << 20)

static void sum_block(void *user, size_t block) {
    summing *s = user;
    const char *at = s->data + block * SUM_BLOCK;
    size_t left = s->bytes - block * SUM_BLOCK, bytes = left < SUM_BLOCK ? left : SUM_BLOCK;
    uint64_t word = 0, sum = 0, lane[4] = {block + 1, 2, 3, 4};
    for (size_t k = 0; bytes; k++) {
        size_t step = bytes < sizeof word ? bytes : sizeof word;
        memcpy(&word, at, step);
        lane[k % 4] = (lane[k % 4] ^ word) * 0x9e3779b97f4a7c15u;
        lane[k % 4] ^= lane[k % 4] >> 29;
        at += step;
        bytes -= step;
    }
    for (int i = 0; i < 4; i++) sum = (sum ^ lane[i]) * 0xd6e8feb86659fd93u;
    s->sum += sum ^ sum >> 32;
}

static reading reading_of(const glshape_matrix *m) {
    summing s = {.data = m->data, .bytes = m->rows * m->cols * matrix_value_size(m->type)};
    threads_run(0, (s.bytes + SUM_BLOCK - 1) / SUM_BLOCK, sum_block, &s);
    return (reading){m->rows, m->cols, s.sum, (uint64_t)m->type};
}

/* Each rank reads the file, which takes no longer than one; the first sends its points only if another rank
 * has not read the same. */
static glshape_status read_on_all(session *s, glshape_matrix *out) {
    const ranks *r = ranks_world();
    if (r->size == 1) return read_points(s, out);
    glshape_status status =
        strcmp(s->input, "-") || session_is_first() ? read_points(s, out) : GLSHAPE_BAD_INPUT;
    if (session_is_first()) TRY(status);
    reading own = {0};
    if (!status) own = reading_of(out);
    reading first = own;
    TRY(ranks_broadcast(r, &s->err, &first, sizeof first));
    size_t same = !memcmp(&own, &first, sizeof own);
    TRY(ranks_sum(r, &s->err, &same));
    if (same == (size_t)r->size) return GLSHAPE_OK;
    if (!session_is_first()) io_matrix_free(out);
    return session_share_matrix(s, out);
}

glshape_status session_read_points(session *s, glshape_matrix *out) {
    return s->shared ? read_on_all(s, out) : read_points(s, out);
}

glshape_status session_share_matrix(session *s, glshape_matrix *m) {
    const ranks *r = ranks_world();
    glshape_matrix whole = *m;
    TRY(ranks_broadcast(r, &s->err, &whole, sizeof whole));
    size_t row = whole.cols * matrix_value_size(whole.type);
    if (r->rank) {
        whole.data = NULL;
        TRY(allocate(&s->err, &whole.data, whole.rows, row, "the points"));
        *m = whole;
    }
    return ranks_broadcast(r, &s->err, m->data, whole.rows * row);
}

const char *session_title(const session *s) {
    const char *slash = strrchr(s->input, '/');
    return slash ? slash + 1 : io_input_name(s->input);
}

/* ---- ranks ------------------------------------------------------------------------------------- */

typedef struct session_rank {
    uint64_t gpu_bytes, host_bytes, sent_bytes;
    double opening, waited, exchanged; /* seconds */
} session_rank;

/* Linux's getrusage() counts the memory of the process that called exec, too: that of a script that ran the
 * command. Where there is no /proc, it is what there is. */
static uint64_t peak_host_bytes(void) {
    struct rusage usage;
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *from = fopen("/proc/self/status", "r");
    while (from && !kilobytes && fgets(line, sizeof line, from)) sscanf(line, "VmHWM: %llu", &kilobytes);
    if (from) fclose(from);
    getrusage(RUSAGE_SELF, &usage);
    return 1024 * (kilobytes ? kilobytes : (uint64_t)usage.ru_maxrss);
}

glshape_status session_end_sharing(session *s, bool *done) {
    const ranks *r = ranks_world();
    *done = r->rank > 0;
    if (r->size == 1 || !s->shared) return GLSHAPE_OK;
    TRY(allocate(&s->err, &s->ranks, (size_t)r->size, sizeof *s->ranks, "what ranks have used"));
    s->ranks[r->rank] = (session_rank){glshape_peak_gpu_bytes(s->context),
                                       peak_host_bytes(),
                                       ranks_sent(),
                                       session_fact(s, "seconds of opening the device"),
                                       ranks_waited(),
                                       ranks_exchanged()};
    TRY(ranks_gather(r, &s->err, s->ranks, sizeof *s->ranks, (uint64_t)r->size, 1));
    ranks_go_alone(r);
    return GLSHAPE_OK;
}

static void write_ranks(const session *s, json *j) {
    if (!s->ranks) return;
    json_array_begin(j, "ranks");
    for (int q = 0; q < ranks_world()->size; q++) {
        json_object_begin(j, NULL);
        json_unsigned(j, "peak_gpu_bytes", s->ranks[q].gpu_bytes);
        json_unsigned(j, "peak_host_bytes", s->ranks[q].host_bytes);
        json_unsigned(j, "sent_bytes", s->ranks[q].sent_bytes);
        json_number(j, "opening_seconds", s->ranks[q].opening);
        json_number(j, "waited_seconds", s->ranks[q].waited);
        json_number(j, "exchange_seconds", s->ranks[q].exchanged);
        json_object_end(j);
    }
    json_array_end(j);
}

/* ---- device ------------------------------------------------------------------------------------ */

glshape_status session_library_error(session *s, glshape_status status) {
    if (status)
        fail(&s->err, status, "%s", s->context ? glshape_last_error(s->context) : "not enough host memory");
    return status;
}

glshape_status session_input_error(session *s, glshape_status status) {
    if (status == GLSHAPE_NO_DEVICE) return session_library_error(s, status);
    if (status) fail(&s->err, status, "%s: %s", io_input_name(s->input), glshape_last_error(s->context));
    return status;
}

void session_note_device(session *s, const glshape_context *context) {
    if (s->noted || s->device || s->bar.quiet || !glshape_is_software(context)) return;
    s->noted = true;
    terminal_hide(&s->bar);
    fprintf(stderr, "glshape: no hardware device; using the software renderer %s\n",
            glshape_renderer(context));
}

void session_print_notes(session *s) { terminal_print_notes(&s->bar, &s->err); }

glshape_status session_open_device(session *s, glshape_progress progress, glshape_context **out) {
    glshape_options options = {.device = s->device,
                               .stage = (glshape_stage)s->stage,
                               .gpu_memory = s->gpu_memory,
                               .debug = getenv("GLSHAPE_DEBUG") != NULL,
                               .timing = s->report != NULL,
                               .when_needed = s->may_need_none && !s->device,
                               .ranks = s->shared && progress ? GLSHAPE_RANKS_SHARE : GLSHAPE_RANKS_DEVICE,
                               .progress = progress,
                               .user = s,
                               .compiler = "/proc/self/exe"};
    glshape_status status = glshape_open(&options, out);
    if (status)
        return fail(&s->err, status, "%s", *out ? glshape_last_error(*out) : "not enough host memory");
    session_note_device(s, *out);
    return GLSHAPE_OK;
}

glshape_status session_open(session *s) {
    session_print_notes(s);
    if (!s->shared) ranks_go_alone(ranks_world());
    TRY_TIMED(s->open_seconds, session_open_device(s, session_progress, &s->context));
    return s->shared ? ranks_agree(ranks_world(), &s->err, GLSHAPE_OK) : GLSHAPE_OK;
}

/* Each sentence is a line of its own. */
static void print_device_notes(const glshape_context *context) {
    for (const char *at = glshape_notes(context), *end; (end = strchr(at, '\n')); at = end + 1)
        fprintf(stderr, "glshape: %.*s\n", (int)(end - at), at);
}

int session_end(session *s, glshape_status status) {
    terminal_hide(&s->bar);
    if (s->context) session_note_device(s, s->context);
    session_print_notes(s);
    if (s->context && !s->bar.quiet) print_device_notes(s->context);
    status = ranks_agree(ranks_world(), &s->err, status);
    free(s->ranks);
    s->ranks = NULL;
    io_texts_free(&s->texts);
    int live = glshape_close(s->context);
    if (live) fprintf(stderr, "glshape: %d OpenGL objects were left behind: please report this\n", live);
    if (status == GLSHAPE_BAD_ARGUMENT && !s->checked) return options_report_misuse(&s->err, s->name);
    if (status) fprintf(stderr, "glshape: %s\n", s->err.text);
    return status ? EXIT_FAILED : EXIT_DONE;
}

const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/* ---- report ------------------------------------------------------------------------------------ */

struct session_report {
    io_output output;
    json j;
};

glshape_status session_report_begin(session *s, size_t rows, size_t columns, session_report **out, json **j) {
    OWNED session_report *r = calloc(1, sizeof *r);
    if (!r) return fail(&s->err, GLSHAPE_NO_MEMORY, "no memory for the report");
    TRY(io_output_open(&s->err, s->report, &r->output));
    *j = &r->j;
    json_open(&r->j, io_output_stream(&r->output));
    json_object_begin(&r->j, NULL);
    json_string(&r->j, "version", GLSHAPE_VERSION);
    const char *renderer = glshape_renderer(s->context);
    json_string(&r->j, "renderer", *renderer ? renderer : "none");
    json_string(&r->j, "command", s->command_line);
    json_object_begin(&r->j, "input");
    json_string(&r->j, "file", s->input);
    json_unsigned(&r->j, "rows", rows);
    json_unsigned(&r->j, "columns", columns);
    json_object_end(&r->j);
    *out = MOVE(r);
    return GLSHAPE_OK;
}

void session_take_stages(session *s) {
    s->stage_count += glshape_stages(s->context, s->stages + s->stage_count, SESSION_STAGES - s->stage_count);
}

/* What the report says of all stages. */
typedef struct stage_sums {
    double open, passes, transfers;
    uint64_t bytes_up, bytes_down;
} stage_sums;

static stage_sums sum_stages(const session *s) {
    stage_sums sums = {.open = s->open_seconds};
    glshape_timing timings[MOST_PASSES];
    int passes = glshape_timings(s->context, timings, MOST_PASSES);
    for (int i = 0; i < passes; i++) sums.passes += timings[i].seconds;
    for (int i = 0; i < s->stage_count; i++) {
        const glshape_stage_facts *f = &s->stages[i];
        if (!strcmp(f->stage, "open")) sums.open += f->seconds;
        sums.transfers += f->transfers;
        sums.bytes_up += f->bytes_up;
        sums.bytes_down += f->bytes_down;
    }
    return sums;
}

/* host: what is left of the work, which is all but reading, opening and writing. */
static void write_seconds(const session *s, json *j, const session_stage *stages, const stage_sums *sums) {
    double total = wall_seconds() - s->started;
    double work = total - s->read_seconds - sums->open - s->write_seconds;
    json_object_begin(j, "seconds");
    json_number(j, "read", s->read_seconds);
    json_number(j, "open", sums->open);
    for (; stages->name; stages++) json_number(j, stages->name, stages->seconds);
    json_number(j, "passes", sums->passes);
    json_number(j, "transfers", sums->transfers);
    json_number(j, "host", fmax(0, work - sums->passes - sums->transfers));
    json_number(j, "total", total);
    json_object_end(j);
}

static void write_stages(const session *s, json *j) {
    const char *renderer = glshape_renderer(s->context);
    json_array_begin(j, "stages");
    for (int i = 0; i < s->stage_count; i++) {
        const glshape_stage_facts *f = &s->stages[i];
        json_object_begin(j, NULL);
        json_string(j, "stage", f->stage);
        json_string(j, "place", f->on_device ? renderer : "processors");
        json_string(j, "why", f->why);
        json_number(j, "seconds", f->seconds);
        json_number(j, "passes", f->passes);
        json_number(j, "transfers", f->transfers);
        json_unsigned(j, "bytes_up", f->bytes_up);
        json_unsigned(j, "bytes_down", f->bytes_down);
        json_object_end(j);
    }
    json_array_end(j);
}

double session_fact(const session *s, const char *name) {
    glshape_fact facts[MOST_FACTS];
    int count = glshape_facts(s->context, facts, MOST_FACTS);
    for (int i = 0; i < count; i++)
        if (!strcmp(facts[i].name, name)) return facts[i].value;
    return 0;
}

static void write_facts(const session *s, json *j) {
    glshape_fact facts[MOST_FACTS];
    int count = glshape_facts(s->context, facts, MOST_FACTS);
    json_object_begin(j, "facts");
    for (int i = 0; i < count; i++) json_number(j, facts[i].name, facts[i].value);
    json_object_end(j);
}

static void write_passes(session *s, json *j) {
    glshape_timing timings[MOST_PASSES];
    int count = glshape_timings(s->context, timings, MOST_PASSES);
    json_array_begin(j, "passes");
    for (int i = 0; i < count; i++) {
        json_object_begin(j, NULL);
        json_string(j, "pass", timings[i].pass);
        json_number(j, "seconds", timings[i].seconds);
        json_unsigned(j, "runs", timings[i].runs);
        json_number(j, "compile_seconds", timings[i].compile_seconds);
        json_unsigned(j, "programs", timings[i].programs);
        json_unsigned(j, "kept", timings[i].kept);
        json_object_end(j);
    }
    json_array_end(j);
}

static void write_notes(const session *s, json *j) {
    char line[512];
    json_array_begin(j, "notes");
    for (const char *at = glshape_notes(s->context), *end; (end = strchr(at, '\n')); at = end + 1) {
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        json_string(j, NULL, line);
    }
    json_array_end(j);
}

glshape_status session_report_end(session *s, session_report *report, const session_stage *stages) {
    OWNED session_report *r = report;
    write_notes(s, &r->j);
    write_facts(s, &r->j);
    session_take_stages(s);
    const stage_sums sums = sum_stages(s);
    write_stages(s, &r->j);
    write_seconds(s, &r->j, stages, &sums);
    write_passes(s, &r->j);
    json_unsigned(&r->j, "bytes_up", sums.bytes_up);
    json_unsigned(&r->j, "bytes_down", sums.bytes_down);
    json_unsigned(&r->j, "peak_gpu_bytes", glshape_peak_gpu_bytes(s->context));
    json_unsigned(&r->j, "peak_host_bytes", peak_host_bytes());
    write_ranks(s, &r->j);
    json_object_end(&r->j);
    return io_output_commit(&s->err, &r->output);
}
