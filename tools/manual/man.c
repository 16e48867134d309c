/* Man pages: glshape.1 and one a command. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "glshape.h"
#include "manual.h"

/* ---- text ---------------------------------------------------------------------------------------- */

/* A character beyond ASCII by its number, so that the page does not depend on how it is read. */
static const char *write_character(FILE *to, const char *at) {
    unsigned char lead = (unsigned char)*at++;
    if (lead < 0x80) {
        if (lead == '\\') fputs("\\e", to);
        else if (lead == '-') fputs("\\-", to);
        else fputc(lead, to);
        return at;
    }
    unsigned code = lead & (lead >= 0xf0 ? 7u : lead >= 0xe0 ? 15u : 31u);
    for (; ((unsigned char)*at & 0xc0) == 0x80; at++) code = code << 6 | ((unsigned char)*at & 63u);
    fprintf(to, "\\[u%04X]", code);
    return at;
}

static void write_plain(FILE *to, const char *text, size_t length) {
    for (const char *end = text + length; text < end;) text = write_character(to, text);
}

static void write_font(FILE *to, char font, const char *text, size_t length) {
    fprintf(to, "\\f%c", font);
    write_plain(to, text, length);
    fputs("\\fR", to);
}

/* A word; the name of an option in bold, what follows it not. */
static void write_word(FILE *to, const char *word, size_t length) {
    size_t name = 2;
    if (*word == '.' || *word == '\'') fputs("\\&", to); /* no request */
    if (length > 2 && !strncmp(word, "--", 2) && islower((unsigned char)word[2])) {
        while (name < length && (isalnum((unsigned char)word[name]) || word[name] == '-')) name++;
        write_font(to, 'B', word, name);
        word += name;
        length -= name;
    }
    write_plain(to, word, length);
}

/* Words of text[0…length), filled into lines. */
static void write_words(FILE *to, const char *text, size_t length) {
    enum { WIDE = 76 };
    size_t used = 0;
    for (const char *end = text + length; text < end;) {
        size_t space = strspn(text, " \n"), word = strcspn(text + space, " \n");
        text += space;
        if (!word || text >= end) break;
        if (used) fputc(used + word > WIDE ? '\n' : ' ', to);
        used = used + word > WIDE ? word : used + word + 1;
        write_word(to, text, word);
        text += word;
    }
    fputc('\n', to);
}

/* ---- the prose of usage: lines ------------------------------------------------------------------- */

static size_t line_length(const char *line) { return strcspn(line, "\n"); }

static const char *next_line(const char *line) {
    size_t length = line_length(line);
    return line + length + (line[length] == '\n');
}

static bool starts_item(const char *line) { return !strncmp(line, "  ", 2) && line[2] != ' '; }

/* A paragraph about an option has no empty line before it. */
static bool starts_block(const char *line) {
    return !*line || *line == '\n' || starts_item(line) || !strncmp(line, "--", 2);
}

/* The end of the block of lines that starts here; an item ends before a line that is not indented, too. */
static const char *block_end(const char *line) {
    bool item = starts_item(line);
    do line = next_line(line);
    while (!starts_block(line) && (!item || *line == ' '));
    return line;
}

/* "  term  what it is", or a sentence. */
static void write_item(FILE *to, const char *line, size_t length) {
    const char *gap = strstr(line + 2, "  ");
    if (gap && gap < line + line_length(line)) {
        fputs(".TP\n", to);
        write_font(to, 'B', line + 2, (size_t)(gap - line - 2));
        fputc('\n', to);
        write_words(to, gap, length - (size_t)(gap - line));
    } else {
        fputs(".IP \\(bu 2\n", to);
        write_words(to, line, length);
    }
}

static void write_prose(FILE *to, const char *text) {
    for (const char *begin = text, *end; *text; text = end) {
        if (*text == '\n') {
            end = text + 1;
            continue;
        }
        end = block_end(text);
        if (starts_item(text)) {
            write_item(to, text, (size_t)(end - text));
        } else {
            if (text > begin) fputs(".PP\n", to);
            write_words(to, text, (size_t)(end - text));
        }
    }
}

/* ---- options ------------------------------------------------------------------------------------- */

static void write_option(FILE *to, const option_row *row) {
    fputs(".TP\n", to);
    if (row->letter) {
        write_font(to, 'B', row->letter, strlen(row->letter));
        fputs(", ", to);
    }
    write_font(to, 'B', row->name, strlen(row->name));
    if (row->argument) {
        fputc(' ', to);
        if (row->kind == OPTION_CHOICE) write_plain(to, row->argument, strlen(row->argument));
        else write_font(to, 'I', row->argument, strlen(row->argument));
    }
    fputc('\n', to);
    write_words(to, row->help, strlen(row->help));
}

static void write_options(FILE *to, const option_row *const *tables) {
    fputs(".SH OPTIONS\n", to);
    for (int k = 0; tables[k]; k++) {
        const option_row *at = tables[k];
        if (k) fputs(".SS Options of most commands\n", to);
        for (const option_row *row; (row = manual_next(&at));) write_option(to, row);
    }
}

/* ---- pages --------------------------------------------------------------------------------------- */

static void write_title(FILE *to, const char *name) {
    fputs(".\\\" Made from the tables of options.\n.TH ", to);
    for (; *name; name++) write_plain(to, (const char[]){(char)toupper((unsigned char)*name), 0}, 1);
    fprintf(to, " 1 %s \"glshape " GLSHAPE_VERSION "\" \"glshape\"\n.SH NAME\n", manual_date);
}

static void write_synopsis(FILE *to, const manual_command *c) {
    const char *line = c->usage + strlen("usage: "),
               *rest = line + strlen("glshape ") + strlen(c->command->name);
    fputs(".SH SYNOPSIS\n", to);
    write_font(to, 'B', line, (size_t)(rest - line));
    write_plain(to, rest, line_length(rest));
    fputc('\n', to);
}

/* What somebody would type first. */
static const char *const examples[][2] = {
    {"devices", "glshape devices"},
    {"pack", "glshape pack triangle.txt -o distances.npy"},
    {"knn", "glshape knn points.npy -k 15 -o neighbors.npy --distances distances.npy"},
    {"cubical", "glshape cubical scan.nrrd --min-persistence 20 -o intervals.csv --picture barcode.png"},
    {"delaunay", "glshape delaunay cities.csv --columns lon,lat -o triangles.npy"},
    {"mst", "glshape mst roads.gr -o forest.csv"},
    {"linkage", "glshape linkage points.npy --clusters 3 --labels-out clusters.csv --picture tree.png"},
    {"hdbscan", "glshape hdbscan points.npy --min-cluster-size 15 -o clusters.npy --picture clusters.png"},
    {"mergetree",
     "glshape mergetree volume.raw --shape 256,256,256 --type u1 --superlevel --diagram pairs.csv"},
    {"alpha", "glshape alpha cities.csv --columns lon,lat --alpha 0.5 -o land.geojson --picture land.png"},
    {"rips", "glshape rips --format point-cloud --dim 2 --picture barcode.svg points.txt"},
    {"compare", "glshape compare diagrams -o distances.npy"},
    {"vectors", "glshape vectors diagrams --kind landscape --dim 1 -o landscapes.npy"},
    {"atlas", "glshape atlas clouds -o map.csv --picture map.html"},
    {"pcoa", "glshape pcoa --input distances bray.csv -o coordinates.csv --eigenvalues eigenvalues.csv"},
    {"mds", "glshape mds points.npy -o layout.npy --picture layout.png --labels classes.csv"},
};

static void write_example(FILE *to, const char *name) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (!strcmp(examples[i][0], name)) {
            fputs(".SH EXAMPLE\n.nf\n", to);
            write_plain(to, examples[i][1], strlen(examples[i][1]));
            fputs("\n.fi\n", to);
            return;
        }
    fprintf(stderr, "manual: %s has no example in tools/manual/man.c\n", name);
    exit(1);
}

static void write_page(FILE *to, const manual_command *c) {
    char name[64];
    snprintf(name, sizeof name, "glshape-%s", c->command->name);
    write_title(to, name);
    write_plain(to, name, strlen(name));
    fputs(" \\- ", to);
    write_words(to, c->command->help, strlen(c->command->help));
    write_synopsis(to, c);
    fputs(".SH DESCRIPTION\n", to);
    write_prose(to, next_line(c->usage) + 1);
    write_options(to, c->tables);
    write_example(to, c->command->name);
    fputs(".SH SEE ALSO\n.BR glshape (1)\nhas the exit statuses and the environment.\n", to);
}

const manual_writer man_pages = {"man/glshape", true, NULL, write_page, NULL};

static void begin_overview(FILE *to) {
    write_title(to, "glshape");
    fputs(
        "glshape \\- the shape of data on any OpenGL 4.3 GPU\n"
        ".SH SYNOPSIS\n\\fBglshape\\fR \\fICOMMAND\\fR [OPTIONS] INPUT\n"
        ".br\n\\fBglshape\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n"
        ".br\n\\fBglshape \\-\\-version\\fR\n"
        ".SH DESCRIPTION\n"
        "The commands compute layouts, neighbors, clusters, barcodes, merge trees and alpha shapes.\n"
        "They need a GPU with OpenGL 4.3 and EGL, and no display.\n"
        "Without a GPU they run on Mesa's software renderer, and say so.\n"
        ".PP\n"
        "An output appears whole or not at all.\n"
        "No run writes over a file that it reads.\n"
        "Points are .npy, CSV, TSV or text, also gzipped.\n"
        ".SH COMMANDS\n",
        to);
}

static void write_line(FILE *to, const manual_command *c) {
    fprintf(to, ".TP\n.BR glshape\\-%s (1)\n", c->command->name);
    write_words(to, c->command->help, strlen(c->command->help));
}

static void end_overview(FILE *to) {
    fputs(
        ".SH EXIT STATUS\n"
        ".TP\n.B 0\nThe work is done.\n"
        ".TP\n.B 1\nThe work could not be done. The message says why, and what to do.\n"
        ".TP\n.B 2\nBad usage: the command or an option is wrong.\n"
        ".TP\n.B 129, 130, 143\nThe run died of SIGHUP, SIGINT or SIGTERM.\n"
        "The numbers are those that shells show.\n"
        "The old outputs are there, or the new ones.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n.B GLSHAPE_CACHE\nThe folder that linked programs are kept in, so that a driver compiles each "
        "of "
        "them once.\n"
        "The value off keeps none.\n"
        "At most 64 MB are kept; those that were not used for the longest time are deleted.\n"
        "Beside them is kept what was found of drivers: whether doubles are fast, and which programs they\n"
        "compile too slowly or wrongly, so that processors do their work.\n"
        "The folder may be deleted at any time.\n"
        "If it is named, drivers keep their own programs there, too, within their own bounds:\n"
        "NVIDIA's and Mesa's, unless __GL_SHADER_DISK_CACHE_PATH and MESA_SHADER_CACHE_DIR name other "
        "folders.\n"
        ".BR glshape\\-devices (1)\nsays where it is, and how many programs there are.\n"
        ".TP\n.B GLSHAPE_THREADS\nThe number of threads that work on the CPU, from 1 to 256.\n"
        "The default is the number of processors that the process may use.\n"
        "Options named threads come before it.\n"
        ".TP\n.B XDG_CACHE_HOME\nWithout GLSHAPE_CACHE, the folder is glshape in this one.\n"
        ".TP\n.B HOME\nWithout either, the folder is .cache/glshape in this one.\n"
        ".TP\n.B GLSHAPE_DEBUG\nIf set, every error that OpenGL reports makes the run fail with its "
        "message.\n"
        ".TP\n.B GLSHAPE_GLSL_DIR\nThe folder of shaders to use in place of those in the program.\n"
        "It is for those who change shaders.\n"
        ".TP\n.B TMPDIR\nThe folder of the file that a paged matrix is arranged in. The default is /tmp.\n"
        ".TP\n.B ZINK_INLINE_UNIFORMS\nMesa's.\n"
        "The command sets it to 0 if it is not set, as zink of Mesa 22.3 can compute wrong results "
        "otherwise.\n"
        ".TP\n.B LIBGL_ALWAYS_SOFTWARE, GALLIUM_DRIVER, MESA_SHADER_CACHE_DIR\n"
        "Mesa's. They choose Mesa's driver, and where compiled shaders are kept.\n"
        ".SH SEE ALSO\n.BR glshape (3)\nis the library.\n",
        to);
}

const manual_writer man_overview = {"man/glshape.1", false, begin_overview, write_line, end_overview};
