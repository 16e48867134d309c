/* Completions for bash, zsh and fish. */
#include <string.h>

#include "manual.h"

/* ---- bash ---------------------------------------------------------------------------------------- */

/* One branch a command: its options, and what may follow those with a value. */
static void begin_bash(FILE *to) {
    fputs(
        "# Completion of glshape in bash, made from its tables of options.\n"
        "_glshape() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= kind=option "
        "words= name\n"
        "    # --option=value is three words.\n"
        "    if [ \"$current\" = = ]; then current=\n"
        "    elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
        "    case ${COMP_WORDS[1]} in\n",
        to);
}

static void write_bash_values(FILE *to, const option_row *row) {
    fprintf(to, "        %s%s%s) ", row->name, row->letter ? "|" : "", row->letter ? row->letter : "");
    if (row->kind == OPTION_CHOICE) {
        fputs("kind=words words='", to);
        manual_choices(to, row);
        fputs("' ;;\n", to);
    } else {
        fputs(manual_takes_file(row) ? "kind=file ;;\n" : "kind=other ;;\n", to);
    }
}

static void write_bash(FILE *to, const manual_command *c) {
    fprintf(to, "    %s)\n        options='", c->command->name);
    for (const option_row *const *table = c->tables; *table; table++) {
        const option_row *at = *table;
        for (const option_row *row; (row = manual_next(&at));)
            fprintf(to, "%s%s%s ", row->letter ? row->letter : "", row->letter ? " " : "", row->name);
    }
    fprintf(to, "'\n%s        case $before in\n",
            manual_has_input(c) ? "" : "        kind=words words=$options\n");
    for (const option_row *const *table = c->tables; *table; table++) {
        const option_row *at = *table;
        for (const option_row *row; (row = manual_next(&at));)
            if (row->kind != OPTION_FLAG) write_bash_values(to, row);
    }
    fputs("        esac ;;\n", to);
}

static void end_bash(FILE *to) {
    fputs("    esac\n    [ \"$COMP_CWORD\" -gt 1 ] || kind=words words='", to);
    for (int i = 0; i < command_count; i++) fprintf(to, "%s ", commands[i].name);
    fputs(
        "--help --version'\n"
        "    [ $kind != option ] || case $current in -*) kind=words words=$options ;; *) kind=file ;; esac\n"
        "    COMPREPLY=()\n"
        "    case $kind in\n"
        "    words) while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -W \"$words\" -- "
        "\"$current\") ;;\n"
        "    file)\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen -f -- \"$current\") "
        ";;\n"
        "    esac\n"
        "}\n"
        "complete -F _glshape glshape\n",
        to);
}

const manual_writer bash_completion = {"completions/glshape.bash", false, begin_bash, write_bash, end_bash};

/* ---- zsh ----------------------------------------------------------------------------------------- */

/* Text in single quotes, within a specification of _arguments. */
static void write_zsh_text(FILE *to, const char *text) {
    manual_escape(to, text, ":[]'\n", (const char *const[]){"\\:", "\\[", "\\]", "'\\''", " "});
}

static void begin_zsh(FILE *to) {
    fputs(
        "#compdef glshape\n"
        "# Completion of glshape in zsh, made from its tables of options.\n"
        "_glshape() {\n"
        "    local -a commands=(\n",
        to);
    for (int i = 0; i < command_count; i++) {
        fprintf(to, "        '%s:", commands[i].name);
        write_zsh_text(to, commands[i].help);
        fputs("'\n", to);
    }
    fputs(
        "    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $words[1] in\n",
        to);
}

static void write_zsh_option(FILE *to, const option_row *row, const char *name, const char *equals) {
    fprintf(to, " \\\n            '%s%s[", name, row->kind == OPTION_FLAG ? "" : equals);
    write_zsh_text(to, row->help);
    fputc(']', to);
    if (row->kind != OPTION_FLAG) {
        fputc(':', to);
        write_zsh_text(to, row->kind == OPTION_CHOICE ? "value" : row->argument);
        fputc(':', to);
        if (manual_takes_file(row)) fputs("_files", to);
        if (row->kind == OPTION_CHOICE) {
            fputc('(', to);
            manual_choices(to, row);
            fputc(')', to);
        }
    }
    fputc('\'', to);
}

static void write_zsh(FILE *to, const manual_command *c) {
    fprintf(to, "    %s)\n        _arguments", c->command->name);
    for (const option_row *const *table = c->tables; *table; table++) {
        const option_row *at = *table;
        for (const option_row *row; (row = manual_next(&at));) {
            write_zsh_option(to, row, row->name, "=");
            if (row->letter) write_zsh_option(to, row, row->letter, "");
        }
    }
    if (manual_has_input(c))
        fprintf(to, " \\\n            '%c:INPUT:_files'", manual_has_inputs(c) ? '*' : '1');
    fputs(" ;;\n", to);
}

static void end_zsh(FILE *to) { fputs("    esac\n}\n_glshape \"$@\"\n", to); }

const manual_writer zsh_completion = {"completions/_glshape", false, begin_zsh, write_zsh, end_zsh};

/* ---- fish ---------------------------------------------------------------------------------------- */

static void write_fish_text(FILE *to, const char *text) {
    fputc('\'', to);
    manual_escape(to, text, "'\\\n", (const char *const[]){"\\'", "\\\\", " "});
    fputc('\'', to);
}

static void begin_fish(FILE *to) {
    fputs(
        "# Completion of glshape in fish, made from its tables of options.\n"
        "complete -c glshape -f\n",
        to);
    for (int i = 0; i < command_count; i++) {
        fprintf(to, "complete -c glshape -n __fish_use_subcommand -a %s -d ", commands[i].name);
        write_fish_text(to, commands[i].help);
        fputc('\n', to);
    }
}

static void write_fish_option(FILE *to, const command *c, const option_row *row) {
    fprintf(to, "complete -c glshape -n '__fish_seen_subcommand_from %s' -l %s", c->name, row->name + 2);
    if (row->letter) fprintf(to, " -s %s", row->letter + 1);
    if (manual_takes_file(row)) fputs(" -r -F", to);
    else if (row->kind != OPTION_FLAG) fputs(" -x", to);
    if (row->kind == OPTION_CHOICE) {
        fputs(" -a '", to);
        manual_choices(to, row);
        fputc('\'', to);
    }
    fputs(" -d ", to);
    write_fish_text(to, row->help);
    fputc('\n', to);
}

static void write_fish(FILE *to, const manual_command *c) {
    for (const option_row *const *table = c->tables; *table; table++) {
        const option_row *at = *table;
        for (const option_row *row; (row = manual_next(&at));) write_fish_option(to, c->command, row);
    }
    if (manual_has_input(c))
        fprintf(to, "complete -c glshape -n '__fish_seen_subcommand_from %s' -F\n", c->command->name);
}

const manual_writer fish_completion = {"completions/glshape.fish", false, begin_fish, write_fish, NULL};
