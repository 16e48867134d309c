/* options_help(), in a file of its own because tools/manual replaces it: there it writes man pages from the
 * same tables. */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

enum { LEFT = 22, WIDE = 100 };

/* Prints the words of text from column `from` on, in lines of at most WIDE columns. */
static void print_words(const char *text, int from) {
    int column = from;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > from && column + 1 + length > WIDE) column = from, printf("\n%*s", from, "");
        if (column > from) column++, putchar(' ');
        printf("%.*s", length, text);
        column += length;
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

static void print_row(const option_row *row) {
    char left[128];
    snprintf(left, sizeof left, "%s%s%s%s%s", row->letter ? row->letter : "", row->letter ? ", " : "",
             row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    if (strlen(left) > LEFT) printf("  %s\n%*s", left, LEFT + 4, "");
    else printf("  %-*s  ", LEFT, left);
    print_words(row->help, LEFT + 4);
}

void options_help(const char *usage, const option_row *const *tables) {
    printf("%s", usage);
    for (; *tables; tables++) {
        printf("\n");
        for (const option_row *row = *tables; row->help; row++)
            if (*row->help) print_row(row);
    }
}
