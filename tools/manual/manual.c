/* manual FOLDER DATE: writes FOLDER/man/ and FOLDER/completions/, which are there already. */
#include "manual.h"

#include <stdlib.h>
#include <string.h>

static const manual_writer *const writers[] = {&man_overview, &man_pages, &bash_completion, &zsh_completion,
                                               &fish_completion};
enum { WRITERS = sizeof writers / sizeof *writers };

const char *manual_date;

/* What options_help(), which cannot be told, works with. */
static const manual_writer *writer;
static const command *asked;
static FILE *out;

void options_help(const char *usage, const option_row *const *tables) {
    writer->command(out, &(manual_command){asked, usage, tables});
}

/* ---- for writers --------------------------------------------------------------------------------- */

const option_row *manual_next(const option_row **row) {
    while ((*row)->help && !*(*row)->help) ++*row;
    return (*row)->help ? (*row)++ : NULL;
}

bool manual_takes_file(const option_row *row) {
    return row->kind == OPTION_INPUT || row->kind == OPTION_OUTPUT || row->kind == OPTION_MATRIX ||
           row->kind == OPTION_PICTURE;
}

bool manual_has_input(const manual_command *c) {
    const char *input = strstr(c->usage, "INPUT");
    return input && input < strchr(c->usage, '\n');
}

bool manual_has_inputs(const manual_command *c) {
    const char *inputs = strstr(c->usage, "INPUT...");
    return inputs && inputs < strchr(c->usage, '\n');
}

void manual_escape(FILE *to, const char *text, const char *special, const char *const *escapes) {
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found) fputs(escapes[found - special], to);
        else fputc(*text, to);
    }
}

void manual_choices(FILE *to, const option_row *row) {
    for (const char *at = row->argument; *at; at++) fputc(*at == '|' ? ' ' : *at, to);
}

/* ---- files --------------------------------------------------------------------------------------- */

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static void open_file(const char *folder, const char *command_name) {
    char path[4096];
    if (command_name) snprintf(path, sizeof path, "%s/%s-%s.1", folder, writer->file, command_name);
    else snprintf(path, sizeof path, "%s/%s", folder, writer->file);
    out = fopen(path, "w");
    if (!out) give_up(path);
    if (writer->begin) writer->begin(out);
}

static void close_file(void) {
    if (writer->end) writer->end(out);
    if (ferror(out) | fclose(out)) give_up(writer->file);
}

static void ask(const command *c) {
    char name[32], option[] = "--help";
    snprintf(name, sizeof name, "%s", c->name);
    asked = c;
    c->run(2, (char *[]){name, option, NULL}, "");
}

static void write_all(const char *folder) {
    if (!writer->each) open_file(folder, NULL);
    for (int i = 0; i < command_count; i++) {
        if (writer->each) open_file(folder, commands[i].name);
        ask(&commands[i]);
        if (writer->each) close_file();
    }
    if (!writer->each) close_file();
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: manual FOLDER DATE\n"), EXIT_USAGE;
    manual_date = argv[2];
    for (int i = 0; i < WRITERS; i++) {
        writer = writers[i];
        write_all(argv[1]);
    }
    return EXIT_DONE;
}
