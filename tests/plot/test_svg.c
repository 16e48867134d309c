/* SVG files are well-formed XML, whatever the text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "suites.h"

Suite *plot_svg_suite(void);

static error err;
static plot_canvas c;
static char *xml;

static void setup(void) { OK(&err, plot_canvas_new(&err, &c, 300, 200, 0xFFFFFF)); }
static void teardown(void) {
    plot_canvas_free(&c);
    free(xml);
    xml = NULL;
}

/* The canvas as SVG, in xml. */
static void write_xml(void) {
    size_t size;
    FILE *to = open_memstream(&xml, &size);
    ck_assert_ptr_nonnull(to);
    OK(&err, plot_write(NULL, &err, &c, GLSHAPE_PICTURE_SVG, to));
    ck_assert_int_eq(fclose(to), 0);
}

/* ---- an XML checker, enough for what an SVG of ours may hold ------------------------------------ */

/* &name; at s: what follows it. */
static const char *skip_entity(const char *s) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(s, known[i], strlen(known[i]))) return s + strlen(known[i]);
    ck_abort_msg("bad entity at %.20s", s);
    return NULL;
}

static const char *skip_text(const char *s, const char *stops) {
    while (*s && !strchr(stops, *s)) s = *s == '&' ? skip_entity(s) : s + 1;
    return s;
}

/* The attributes of a tag up to '>' or "/>" or "?>". */
static const char *skip_attributes(const char *s) {
    while (*s == ' ') {
        while (isalnum((unsigned char)*++s) || *s == '-') {}
        ck_assert_msg(s[0] == '=' && s[1] == '"', "attribute without a value at %.20s", s);
        s = skip_text(s + 2, "\"<>");
        ck_assert_msg(*s == '"', "unquoted attribute at %.20s", s);
        s++;
    }
    return s;
}

static const char *skip_name(const char *s) {
    ck_assert_msg(isalpha((unsigned char)*s), "bad tag name at %.20s", s);
    while (isalnum((unsigned char)*s)) s++;
    return s;
}

typedef struct open_tag {
    const char *name;
    size_t length;
} open_tag;

/* A tag at s (behind its '<'); keeps the stack of open elements. */
static const char *skip_tag(const char *s, open_tag *stack, int *depth) {
    bool closes = *s == '/', declares = *s == '?';
    const char *name = s + (closes || declares), *end = skip_name(name);
    s = skip_attributes(end);
    if (declares) {
        ck_assert(!strncmp(s, "?>", 2));
        return s + 2;
    }
    if (closes) {
        ck_assert_msg(--*depth >= 0 && stack[*depth].length == (size_t)(end - name) &&
                          !strncmp(stack[*depth].name, name, stack[*depth].length),
                      "</%.10s closes nothing", name);
    } else if (*s == '/') {
        s++;
    } else {
        ck_assert_int_lt(*depth, 8);
        stack[(*depth)++] = (open_tag){name, (size_t)(end - name)};
    }
    ck_assert_msg(*s == '>', "tag not closed at %.20s", s);
    return s + 1;
}

static void check_well_formed(const char *s) {
    open_tag stack[8];
    int depth = 0, roots = 0;
    for (; *s; s++) ck_assert_msg((unsigned char)*s >= 0x20 || *s == '\n', "control character in the file");
    for (s = xml; *s;) {
        const char *next = skip_text(s, "<>");
        ck_assert_msg(*next != '>', "a bare > at %.20s", next);
        if (!*next) break;
        roots += depth == 0 && next[1] != '?' && next[1] != '/';
        s = skip_tag(next + 1, stack, &depth);
    }
    ck_assert_int_eq(depth, 0);
    ck_assert_int_eq(roots, 1);
}

static int occurrences(const char *what) {
    int n = 0;
    for (const char *s = xml; (s = strstr(s, what)); s++) n++;
    return n;
}

START_TEST(shapes_become_elements) {
    plot_disc(&c, 10, 20.5, 3.25, 0x0072B2);
    plot_line(&c, -1.005, 2, 30, 40, 5, 0xD55E00);
    plot_rect(&c, 1, 2, 4, 8, 0x009E73);
    plot_rect(&c, 5, 5, 5, 9, 0); /* empty: not drawn */
    plot_text(&c, 7, 8, "end", (plot_style){12, 0x222222, PLOT_END, true});
    write_xml();
    check_well_formed(xml);
    ck_assert_ptr_nonnull(strstr(xml, "<circle cx=\"10\" cy=\"20.5\" r=\"3.25\" fill=\"#0072b2\"/>"));
    ck_assert_ptr_nonnull(strstr(xml, "x2=\"30\" y2=\"40\" stroke-width=\"5\" stroke=\"#d55e00\"/>"));
    ck_assert_ptr_nonnull(strstr(xml, "<rect x=\"1\" y=\"2\" width=\"3\" height=\"6\" fill=\"#009e73\"/>"));
    ck_assert_ptr_nonnull(
        strstr(xml, "text-anchor=\"end\" font-weight=\"bold\" fill=\"#222222\">end</text>"));
    ck_assert_int_eq(occurrences("<rect"), 2); /* the background and one */
}
END_TEST

START_TEST(empty_canvas) {
    write_xml();
    check_well_formed(xml);
    ck_assert_int_eq(occurrences("<rect"), 1);
}
END_TEST

START_TEST(text_is_escaped) {
    plot_text(&c, 0, 0, "a<b & \"c\" > 'd'", (plot_style){.size = 10});
    plot_text(&c, 0, 0, "r\xc3\xa9sum\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", (plot_style){.size = 10});
    write_xml();
    check_well_formed(xml);
    ck_assert_ptr_nonnull(strstr(xml, ">a&lt;b &amp; &quot;c&quot; &gt; 'd'</text>"));
    ck_assert_ptr_nonnull(strstr(xml, ">r\xc3\xa9sum\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80</text>"));
}
END_TEST

START_TEST(what_xml_forbids_is_replaced) {
    plot_text(&c, 0, 0, "\x01\t\n\x7f\xff\xef\xbf\xbf", (plot_style){.size = 10}); /* the last: U+FFFF */
    write_xml();
    check_well_formed(xml);
    ck_assert_int_eq(occurrences("\xef\xbf\xbd"), 6);
}
END_TEST

START_TEST(full_disk_is_reported) {
    FILE *full = fopen("/dev/full", "w");
    if (!full) return; /* only Linux has it */
    ck_assert_int_eq(plot_write(NULL, &err, &c, GLSHAPE_PICTURE_SVG, full), GLSHAPE_IO_ERROR);
    fclose(full);
}
END_TEST

START_TEST(polygons_are_paths) {
    static const plot_corner corners[] = {{0, 0, false}, {8, 0, false}, {8, 8.5f, true},
                                          {5, 2, false}, {6, 2, false}, {6, 3, true}};
    plot_polygon(&c, corners, 6, 0xABCDEF);
    write_xml();
    ck_assert_ptr_nonnull(strstr(
        xml, "<path d=\"M0 0L8 0L8 8.5ZM5 2L6 2L6 3Z\" fill-rule=\"evenodd\" fill=\"#abcdef\"/>\n</svg>"));
}
END_TEST

Suite *plot_svg_suite(void) {
    Suite *s = suite_create("plot_svg");
    TCase *t = tcase_create("svg");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, polygons_are_paths);
    tcase_add_test(t, shapes_become_elements);
    tcase_add_test(t, empty_canvas);
    tcase_add_test(t, text_is_escaped);
    tcase_add_test(t, what_xml_forbids_is_replaced);
    tcase_add_test(t, full_disk_is_reported);
    suite_add_tcase(s, t);
    return s;
}
