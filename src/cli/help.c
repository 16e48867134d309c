/* options_help() alone: tools/manual has its own, which writes man pages from the same tables. */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

static void print_row(const option_row *row) {
    char left[128];
    snprintf(left, sizeof left, "%s%s%s%s%s", row->letter ? row->letter : "", row->letter ? ", " : "",
             row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    if (strlen(left) > 22) printf("  %s\n  %-22s  %s\n", left, "", row->help);
    else printf("  %-22s  %s\n", left, row->help);
}

void options_help(const char *usage, const option_row *const *tables) {
    printf("%s", usage);
    for (; *tables; tables++) {
        printf("\n");
        for (const option_row *row = *tables; row->help; row++)
            if (*row->help) print_row(row);
    }
}
